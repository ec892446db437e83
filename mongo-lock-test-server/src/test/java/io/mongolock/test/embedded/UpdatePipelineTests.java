package io.mongolock.test.embedded;

import java.time.Instant;
import java.util.List;

import de.bwaldvogel.mongo.bson.Document;
import de.bwaldvogel.mongo.exception.MongoServerError;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link UpdatePipeline}.
 */
class UpdatePipelineTests {

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
			{_id: 1, a: 1}          | {$set: {a: '$b', b: '$a'}}               | {_id: 1, b: 1}
			{_id: 1, o: {x: 1}}     | {$set: {o: {y: 2}}}                      | {_id: 1, o: {x: 1, y: 2}}
			{_id: 1, o: {x: 1}}     | {$set: {'o.x': 2}}                       | {_id: 1, o: {x: 2}}
			{_id: 1, o: {x: 1}}     | {$set: {o: {$literal: {y: 2}}}}          | {_id: 1, o: {y: 2}}
			{_id: 1, l: [{x: 1}, 2]}| {$addFields: {'l.y': 3}}                 | {_id: 1, l: [{x: 1, y: 3}, {y: 3}]}
			{_id: 1, n: 1}          | {$set: {'n.x': 2}}                       | {_id: 1, n: {x: 2}}
			{_id: 1, l: [{x: 1}, 2]}| {$unset: 'l.x'}                          | {_id: 1, l: [{}, 2]}
			{_id: 1, a: 1, b: 2}    | {$unset: ['a', 'none.x']}                | {_id: 1, b: 2}
			{_id: 1, a: 1}          | {$replaceWith: {b: '$a'}}                | {_id: 1, b: 1}
			{_id: 1, a: 1}          | {$replaceWith: {b: 2, _id: 1}}           | {_id: 1, b: 2}
			{_id: 1, o: {x: 1}}     | {$replaceRoot: {newRoot: '$o'}}          | {_id: 1, x: 1}
			""")
	void stagesChangeTheDocument(String before, String stage, String after) {
		Document document = (Document) ExpressionTests.bson(before);
		assertThat(apply(document, stage)).isEqualTo(ExpressionTests.bson(after));
		assertThat(document).isEqualTo(ExpressionTests.bson(before));
	}

	@Test
	void stagesSeeWhatTheOnesBeforeHaveDone() {
		assertThat(apply(new Document("_id", 1), "{$set: {a: 1}}, {$set: {b: {$add: ['$a', '$$ROOT.a']}}}"))
			.isEqualTo(ExpressionTests.bson("{_id: 1, a: 1, b: 2}"));
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
			{$match: {a: 1}}                   | 72
			{$project: {a: 1}}                 | 72
			{$currentDate: {a: true}}          | 40324
			{$set: {a: 1}, $unset: 'b'}        | 40323
			{$set: 1}                          | 40272
			{$set: {a: 1, 'a.b': 2}}           | 40176
			{$set: {'a.b': 1, a: 2}}           | 40176
			{$set: {a: {$nope: 1}}}            | 168
			{$set: {_id: 2}}                   | 66
			{$set: {a: {$literal: {$b: 1}}}}   | 52
			{$replaceWith: '$none'}            | 40228
			{$replaceRoot: {}}                 | 40231
			{$unset: 1}                        | 31002
			{$set: {$a: 1}}                    | 16410
			1                                  | 14
			""")
	void errorsHaveTheCodesOfARealServer(String stage, int code) {
		assertThatExceptionOfType(MongoServerError.class).isThrownBy(() -> apply(new Document("_id", 1), stage))
			.satisfies((error) -> assertThat(error.getCode()).isEqualTo(code));
	}

	private static Document apply(Document document, String stages) {
		return UpdatePipeline.parse((List<?>) ExpressionTests.bson("[" + stages + "]"))
			.apply(document, new StatementTime(Instant.EPOCH, null));
	}

}
