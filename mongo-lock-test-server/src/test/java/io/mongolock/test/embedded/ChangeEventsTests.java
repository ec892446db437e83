package io.mongolock.test.embedded;

import java.time.Instant;
import java.util.List;
import java.util.Map;

import de.bwaldvogel.mongo.bson.BsonTimestamp;
import de.bwaldvogel.mongo.bson.Document;
import de.bwaldvogel.mongo.exception.MongoServerError;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for what becomes of a change on its way to a change stream.
 */
class ChangeEventsTests {

	private static final BsonTimestamp TIME = new BsonTimestamp(Instant.EPOCH, 1);

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
			{_id: 1, a: 1}          | {_id: 1, a: 2, b: 3}     | {$set: {b: 3, a: 2}}          | {a: 2, b: 3}   | []
			{_id: 1, a: 1, b: 2}    | {_id: 1, a: 1}           | {$set: {a: 1}, $unset: {b: 1}}| {}             | ['b']
			{_id: 1, a: 1}          | {_id: 1, b: 1}           | {$rename: {a: 'b'}}           | {b: 1}         | ['a']
			{_id: 1}                | {_id: 1, a: {b: 1}}      | {$inc: {'a.b': 1}}            | {'a.b': 1}     | []
			{_id: 1, l: [1, 2]}     | {_id: 1, l: [1, 3]}      | {$set: {'l.$': 3}}            | {'l.1': 3}     | []
			{_id: 1, l: [{a: 1}]}   | {_id: 1, l: [{a: 2}]}    | {$set: {'l.$[].a': 2}}        | {'l.0.a': 2}   | []
			{_id: 1, l: [1]}        | {_id: 1, l: [1, 2]}      | {$push: {l: 2}}               | {'l.1': 2}     | []
			{_id: 1, l: []}         | {_id: 1, l: [2]}         | {$push: {l: 2}}               | {l: [2]}       | []
			{_id: 1, l: [1]}        | {_id: 1, l: [2, 1]}      | {$push: {l: 2}}               | {l: [2, 1]}    | []
			{_id: 1, l: [1]}        | {_id: 1, l: [1, 2]}      | {$addToSet: {l: 2}}           | {l: [1, 2]}    | []
			{_id: 1, l: [1, 2]}     | {_id: 1, l: [2]}         | {$pull: {l: 1}}               | {l: [2]}       | []
			""")
	void operatorsShowTheFieldsThatTheyHaveChanged(String before, String after, String operators, String updated,
			String removed) {
		Change change = new Change(Change.Kind.UPDATE, "db", "c", document(before), document(after),
				document(operators));
		assertThat(new ChangeEvents(UpsertRace.CLIENT_ERROR, null).event(TIME, change).get("updateDescription"))
			.isEqualTo(new Document("updatedFields", document(updated)).append("removedFields",
					ExpressionTests.bson(removed)));
		assertThat(new ChangeEvents(UpsertRace.RETRY, null).event(TIME, change).get("updateDescription")).isEqualTo(
				new Document("updatedFields", document(updated)).append("removedFields", ExpressionTests.bson(removed))
					.append("truncatedArrays", List.of()));
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '"',
			textBlock = """
					{_id: 1, a: 1, t: 'T'}             | {_id: 1, a: 2, t: 'T'}             | {a: 2}                 | []    | []
					{_id: 1, a: 1, t: 'T'}             | {_id: 1, t: 'T'}                   | {}                     | ['a'] | []
					{_id: 1, t: 'T'}                   | {_id: 1, t: 'T', b: 1}             | {b: 1}                 | []    | []
					{_id: 1, o: {a: 1, t: 'T'}, b: 1}  | {_id: 1, o: {a: 2, t: 'T'}, b: 2}  | {b: 2, 'o.a': 2}       | []    | []
					{_id: 1, o: {a: 1}, t: 'T'}        | {_id: 1, o: {a: 2}, t: 'T'}        | {o: {a: 2}}            | []    | []
					{_id: 1, l: ['T', 'T', 2]}         | {_id: 1, l: ['T', 'T']}            | {}                     | []    | [{field: 'l', newSize: 2}]
					{_id: 1, l: ['T', {t: 'T', a: 1}]} | {_id: 1, l: ['T', {t: 'T', a: 2}]} | {'l.1.a': 2}           | []    | []
					{_id: 1, l: ['T', 1]}              | {_id: 1, l: ['T', 2]}              | {'l.1': 2}             | []    | []
					{_id: 1, t: 'T', a: 1, b: 2}       | {_id: 1, t: 'T', b: 2, a: 1}       | {a: 1}                 | []    | []
					""")
	void theDifferenceIsShownWhereItIsSmaller(String before, String after, String updated, String removed,
			String truncated) {
		String large = "x".repeat(100);
		Document description = DocumentDelta.description(document(before.replace("'T'", "'" + large + "'")),
				document(after.replace("'T'", "'" + large + "'")));
		assertThat(description)
			.isEqualTo(new Document("updatedFields", document(updated.replace("'T'", "'" + large + "'")))
				.append("removedFields", ExpressionTests.bson(removed))
				.append("truncatedArrays", ExpressionTests.bson(truncated)));
	}

	@Test
	void aDifferenceLargerThanTheDocumentIsNone() {
		assertThat(DocumentDelta.description(document("{_id: 1, a: 1}"), document("{_id: 1, b: 'x'}"))).isNull();
		assertThat(DocumentDelta.description(document("{_id: 1, a: 1, t: '123456'}"),
				document("{_id: 1, a: 2, t: '123456'}")))
			.as("20 bytes and the 15 of a log entry, of 35")
			.isNull();
		assertThat(DocumentDelta.description(document("{_id: 1, a: 1, t: '1234567'}"),
				document("{_id: 1, a: 2, t: '1234567'}")))
			.isNotNull();
	}

	@Test
	void aTokenBringsBackItsTime() {
		BsonTimestamp time = new BsonTimestamp(0xF0000001_00000002L);
		Document token = new ResumeToken(time).toDocument();
		assertThat(token.get("_data")).isEqualTo("82F000000100000002");
		assertThat(ResumeToken.parse(token).time()).isEqualTo(time);
		assertThatExceptionOfType(MongoServerError.class)
			.isThrownBy(() -> ResumeToken.parse(new Document("_data", "82F00000010000000200")))
			.satisfies((error) -> assertThat(error.getCode()).isEqualTo(9));
	}

	@Test
	void theLogForgetsItsOldestChanges() {
		ChangeLog log = new ChangeLog(new ServerClock(() -> Instant.EPOCH), 2);
		BsonTimestamp start = log.latest();
		for (int id = 1; id <= 3; id++) {
			log.add(new Change(Change.Kind.INSERT, "db", "c", null, new Document("_id", id), null));
		}
		assertThatExceptionOfType(MongoServerError.class).isThrownBy(() -> log.after(start))
			.satisfies((error) -> assertThat(error.getCode()).isEqualTo(286));
		BsonTimestamp first = new BsonTimestamp(start.getValue() + 1);
		Map.Entry<BsonTimestamp, Change> second = log.after(first);
		assertThat(second.getValue().after()).isEqualTo(new Document("_id", 2));
		assertThat(log.after(log.latest())).isNull();
	}

	private static Document document(String json) {
		return (Document) ExpressionTests.bson(json);
	}

}
