package io.mongolock.test.embedded;

import java.math.BigDecimal;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.UUID;

import de.bwaldvogel.mongo.bson.BsonTimestamp;
import de.bwaldvogel.mongo.bson.Decimal128;
import de.bwaldvogel.mongo.bson.Document;
import de.bwaldvogel.mongo.bson.MaxKey;
import de.bwaldvogel.mongo.bson.MinKey;
import de.bwaldvogel.mongo.bson.ObjectId;
import de.bwaldvogel.mongo.exception.MongoServerError;
import org.bson.BsonArray;
import org.bson.BsonValue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link ExpressionParser} and the operators.
 */
class ExpressionTests {

	private static final Instant NOW = Instant.parse("2026-01-02T03:04:05.678Z");

	private static final Document ROOT = (Document) bson("""
			{_id: 'k', n: 1, s: 'x', z: null, a: [1, 2, 3], empty: [], o: {p: {q: 5}},
			 docs: [{v: 1}, {v: null}, {w: 2}, 7, [{v: 9}], {v: [4]}]}""");

	@Test
	void missingIsNotNull() {
		assertThat(evaluate("'$none'")).isSameAs(Values.MISSING);
		assertThat(evaluate("'$z'")).isNull();
		assertThat(evaluate("{$eq: ['$none', null]}")).isEqualTo(false);
		assertThat(evaluate("{$lt: ['$none', null]}")).isEqualTo(true);
		assertThat(evaluate("{$type: '$none'}")).isEqualTo("missing");
		assertThat(evaluate("{$type: '$z'}")).isEqualTo("null");
		assertThat(evaluate("{x: '$none', y: '$z'}")).isEqualTo(new Document("y", null));
		assertThat(evaluate("['$none']")).isEqualTo(Arrays.asList((Object) null));
	}

	@Test
	void typesAreOrdered() {
		List<Object> ascending = Arrays.asList(MinKey.getInstance(), Values.MISSING, null, Double.NaN, -1, "", "a",
				new Document(), List.of(), new UUID(0, 0), new ObjectId(), false, true, NOW, new BsonTimestamp(1),
				MaxKey.getInstance());
		List<Object> shuffled = new ArrayList<>(ascending);
		Collections.reverse(shuffled);
		shuffled.sort(Values.ORDER);
		assertThat(shuffled).isEqualTo(ascending);
	}

	@Test
	void numbersCompareAcrossTypes() {
		assertThat(Values.compare(1, 1L)).isZero();
		assertThat(Values.compare(1L, 1.0)).isZero();
		assertThat(Values.compare(0.0, -0.0)).isZero();
		assertThat(Values.compare(1, new Decimal128(BigDecimal.ONE))).isZero();
		assertThat(Values.compare(9007199254740993L, 9007199254740992.0)).isPositive();
		assertThat(Values.compare(Long.MAX_VALUE, Double.POSITIVE_INFINITY)).isNegative();
		assertThat(Values.compare(Double.NaN, Double.NEGATIVE_INFINITY)).isNegative();
	}

	@Test
	void stringsCompareByCodePoint() {
		assertThat(Values.compare("\uFF5E", "\uD83D\uDD12")).isNegative();
	}

	@Test
	void documentsAndArraysCompareInOrder() {
		assertThat(Values.compare(bson("{a: 1, b: 2}"), bson("{b: 2, a: 1}"))).isNegative();
		assertThat(Values.compare(bson("{a: 1}"), bson("{a: 1, b: 0}"))).isNegative();
		assertThat(Values.compare(bson("{a: 'x'}"), bson("{b: 1}"))).isPositive();
		assertThat(Values.compare(bson("[1, 2]"), bson("[1, 3]"))).isNegative();
		assertThat(Values.compare(bson("[1]"), bson("[1, 0]"))).isNegative();
	}

	@Test
	void pathsLeadThroughArrays() {
		assertThat(evaluate("'$o.p.q'")).isEqualTo(5);
		assertThat(evaluate("'$docs.v'")).isEqualTo(Arrays.asList(1, null, List.of(4)));
		assertThat(evaluate("'$docs.none'")).isEqualTo(List.of());
		assertThat(evaluate("'$n.none'")).isSameAs(Values.MISSING);
		assertThat(evaluate("'$a.0'")).isEqualTo(List.of());
	}

	@Test
	void literalsAreNotEvaluated() {
		assertThat(evaluate("{$literal: '$n'}")).isEqualTo("$n");
		assertThat(evaluate("{$literal: '$$NOW'}")).isEqualTo("$$NOW");
		assertThat(evaluate("{$literal: {x: '$n', y: {$add: [1, 2]}}}"))
			.isEqualTo(bson("{x: '$n', y: {$add: [1, 2]}}"));
		assertThat(evaluate("{x: [{y: '$n'}, {$literal: '$$ROOT'}]}")).isEqualTo(bson("{x: [{y: 1}, '$$ROOT']}"));
	}

	@Test
	void variablesOfTheServer() {
		assertThat(evaluate("'$$ROOT'")).isEqualTo(ROOT);
		assertThat(evaluate("'$$ROOT.o.p'")).isEqualTo(bson("{q: 5}"));
		assertThat(evaluate("'$$CURRENT.n'")).isEqualTo(1);
		assertThat(evaluate("'$$NOW'")).isEqualTo(NOW);
		assertThat(evaluate("'$$REMOVE'")).isSameAs(Values.MISSING);
	}

	@Test
	void letsNestAndShadow() {
		assertThat(evaluate("{$let: {vars: {x: 1}, in: {$let: {vars: {x: {$add: ['$$x', 1]}, y: '$$x'},"
				+ " in: ['$$x', '$$y']}}}}"))
			.isEqualTo(List.of(2, 1));
		assertThat(evaluate("{$let: {vars: {x: '$o'}, in: '$$x.p.q'}}")).isEqualTo(5);
		assertThat(evaluate("{$let: {vars: {x: '$none'}, in: {$type: '$$x'}}}")).isEqualTo("missing");
	}

	@Test
	void conditionsEvaluateOnlyWhatTheyChoose() {
		assertThat(evaluate("{$cond: [{$lt: [1, 2]}, 'yes', {$size: '$none'}]}")).isEqualTo("yes");
		assertThat(evaluate("{$cond: {if: '$none', then: {$size: '$none'}, else: 'no'}}")).isEqualTo("no");
		assertThat(evaluate("{$ifNull: ['$none', '$z', '$n']}")).isEqualTo(1);
		assertThat(evaluate("{$ifNull: ['$none', '$none']}")).isSameAs(Values.MISSING);
		assertThat(evaluate("{$or: [true, {$size: '$none'}]}")).isEqualTo(true);
		assertThat(evaluate("{$and: ['', [], {}]}")).isEqualTo(true);
		assertThat(evaluate("{$and: [1, 0]}")).isEqualTo(false);
		assertThat(evaluate("{$not: ['$none']}")).isEqualTo(true);
	}

	@Test
	void arithmeticWidensAsNeeded() {
		assertThat(evaluate("{$add: [1, 2]}")).isEqualTo(3);
		assertThat(evaluate("{$add: [2147483647, 1]}")).isEqualTo(2147483648L);
		assertThat(evaluate("{$add: [{$numberLong: '1'}, 1]}")).isEqualTo(2L);
		assertThat(evaluate("{$add: [{$numberLong: '9223372036854775807'}, 1]}")).isEqualTo(0x1p63);
		assertThat(evaluate("{$multiply: [{$toLong: '$$NOW'}, 1024]}")).isEqualTo(NOW.toEpochMilli() * 1024);
		assertThat(evaluate("{$multiply: [2, 1.5]}")).isEqualTo(3.0);
		assertThat(evaluate("{$subtract: [1, {$numberLong: '2'}]}")).isEqualTo(-1L);
		assertThat(evaluate("{$add: []}")).isEqualTo(0);
		assertThat(evaluate("{$add: [1, '$none']}")).isNull();
		assertThat(evaluate("{$multiply: ['$z', 'text']}")).isNull();
	}

	@Test
	void datesAreAddedAndSubtracted() {
		assertThat(evaluate("{$add: ['$$NOW', 1000]}")).isEqualTo(NOW.plusSeconds(1));
		assertThat(evaluate("{$add: [1.9, '$$NOW']}")).isEqualTo(NOW.plusMillis(1));
		assertThat(evaluate("{$subtract: ['$$NOW', 1000]}")).isEqualTo(NOW.minusSeconds(1));
		assertThat(evaluate("{$subtract: [{$add: ['$$NOW', 7]}, '$$NOW']}")).isEqualTo(7L);
		assertThat(evaluate("{$gt: ['$$NOW', {$numberLong: '9223372036854775807'}]}")).isEqualTo(true);
	}

	@Test
	void extremesSkipNulls() {
		assertThat(evaluate("{$min: [3, null, '$none', 2]}")).isEqualTo(2);
		assertThat(evaluate("{$max: '$a'}")).isEqualTo(3);
		assertThat(evaluate("{$min: '$empty'}")).isNull();
		assertThat(evaluate("{$max: [[1, 9], 5]}")).isEqualTo(List.of(1, 9));
		assertThat(evaluate("{$max: ['$docs.v']}")).isEqualTo(List.of(4));
	}

	@Test
	void arraysAreTakenApartAndPutTogether() {
		assertThat(evaluate("{$filter: {input: '$a', cond: {$gt: ['$$this', 1]}}}")).isEqualTo(List.of(2, 3));
		assertThat(evaluate("{$filter: {input: '$none', as: 'e', cond: true}}")).isNull();
		assertThat(evaluate("{$map: {input: '$docs', as: 'e', in: '$$e.v'}}"))
			.isEqualTo(Arrays.asList(1, null, null, null, List.of(9), List.of(4)));
		assertThat(evaluate("{$slice: ['$a', 2]}")).isEqualTo(List.of(1, 2));
		assertThat(evaluate("{$slice: ['$a', -2]}")).isEqualTo(List.of(2, 3));
		assertThat(evaluate("{$slice: ['$a', 1, 5]}")).isEqualTo(List.of(2, 3));
		assertThat(evaluate("{$slice: ['$none', 1]}")).isNull();
		assertThat(evaluate("{$indexOfArray: ['$a', 3]}")).isEqualTo(2);
		assertThat(evaluate("{$indexOfArray: ['$a', 1, 1]}")).isEqualTo(-1);
		assertThat(evaluate("{$indexOfArray: ['$none', 1]}")).isNull();
		assertThat(evaluate("{$concatArrays: ['$a', [{x: '$n'}]]}")).isEqualTo(bson("[1, 2, 3, {x: 1}]"));
		assertThat(evaluate("{$concatArrays: ['$a', null]}")).isNull();
		assertThat(evaluate("{$arrayElemAt: ['$a', -1]}")).isEqualTo(3);
		assertThat(evaluate("{$arrayElemAt: ['$a', 3]}")).isSameAs(Values.MISSING);
		assertThat(evaluate("{$in: [2.0, '$a']}")).isEqualTo(true);
		assertThat(evaluate("{$size: '$empty'}")).isEqualTo(0);
		assertThat(evaluate("{$isArray: ['$a']}")).isEqualTo(true);
	}

	@Test
	void objectsMergeFromLeftToRight() {
		assertThat(evaluate("{$mergeObjects: [{a: 1, b: 2}, null, '$none', {a: 3}]}")).isEqualTo(bson("{a: 3, b: 2}"));
		assertThat(evaluate("{$mergeObjects: '$none'}")).isEqualTo(new Document());
	}

	@Test
	void longsAreConverted() {
		assertThat(evaluate("{$toLong: '$$NOW'}")).isEqualTo(NOW.toEpochMilli());
		assertThat(evaluate("{$toLong: true}")).isEqualTo(1L);
		assertThat(evaluate("{$toLong: -1.9}")).isEqualTo(-1L);
		assertThat(evaluate("{$toLong: '42'}")).isEqualTo(42L);
		assertThat(evaluate("{$toLong: '$none'}")).isNull();
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
			{$nope: 1}                              | 168
			{$add: [1, 'x']}                        | 16554
			{$add: ['$$NOW', '$$NOW']}              | 16612
			{$multiply: [1, 'x']}                   | 16555
			{$subtract: [1, '$$NOW']}               | 16556
			{$size: '$none'}                        | 17124
			{$in: [1, '$none']}                     | 40081
			{$concatArrays: ['$n']}                 | 28664
			{$mergeObjects: ['$n']}                 | 40400
			{$slice: ['$n', 1]}                     | 28724
			{$slice: ['$a', 1, 0]}                  | 28729
			{$filter: {input: '$n', cond: 1}}       | 28651
			{$filter: {input: '$a'}}                | 28650
			{$map: {input: '$a'}}                   | 16882
			{$let: {vars: {X: 1}, in: 1}}           | 16867
			{$let: {vars: {x: 1}, in: 1, more: 1}}  | 16875
			{$cond: [1, 2]}                         | 16020
			{$cond: {if: 1, then: 2}}               | 17082
			{$ifNull: [1]}                          | 28667
			{$toLong: 'x'}                          | 241
			{$toLong: {$literal: {}}}               | 241
			{$eq: [1, 2], $ne: [1, 2]}              | 15983
			{a: 1, $b: 2}                           | 16410
			{'a.b': 1}                              | 16412
			'$$nobody'                              | 17276
			'$$CLUSTER_TIME'                        | 51144
			'$'                                     | 16872
			'$a.'                                   | 40353
			'$a..b'                                 | 15998
			""")
	void errorsHaveTheCodesOfARealServer(String expression, int code) {
		assertThatExceptionOfType(MongoServerError.class).isThrownBy(() -> evaluate(expression))
			.satisfies((error) -> assertThat(error.getCode()).isEqualTo(code));
	}

	@Test
	void variablesEndWithTheirScope() {
		assertThatExceptionOfType(MongoServerError.class)
			.isThrownBy(() -> evaluate("[{$let: {vars: {x: 1}, in: 1}}, '$$x']"))
			.withMessageContaining("undefined variable: x");
	}

	@Test
	void anUnknownOperatorIsToldWithWhatIsKnown() {
		assertThatExceptionOfType(MongoServerError.class).isThrownBy(() -> evaluate("{$reduce: {}}"))
			.withMessageContaining("$reduce")
			.withMessageContaining("$filter");
	}

	private static Object evaluate(String json) {
		return new ExpressionParser().parse(bson(json)).evaluate(new Variables(ROOT, new StatementTime(NOW, null)));
	}

	static Object bson(String json) {
		return convert(BsonArray.parse("[" + json + "]").get(0));
	}

	private static Object convert(BsonValue value) {
		return switch (value.getBsonType()) {
			case DOCUMENT -> {
				Document document = new Document();
				for (Map.Entry<String, BsonValue> field : value.asDocument().entrySet()) {
					document.put(field.getKey(), convert(field.getValue()));
				}
				yield document;
			}
			case ARRAY -> {
				List<Object> list = new ArrayList<>();
				value.asArray().forEach((element) -> list.add(convert(element)));
				yield list;
			}
			case INT32 -> value.asInt32().getValue();
			case INT64 -> value.asInt64().getValue();
			case DOUBLE -> value.asDouble().getValue();
			case STRING -> value.asString().getValue();
			case BOOLEAN -> value.asBoolean().getValue();
			case NULL -> null;
			default -> throw new IllegalArgumentException("No conversion for " + value);
		};
	}

}
