package io.mongolock.test.embedded;

import java.util.List;

import com.mongodb.MongoCommandException;
import com.mongodb.client.MongoDatabase;
import org.bson.BsonDocument;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * A collection with a validator refuses to write, statement by statement: on the embedded
 * server as on the real one of {@code SuiteServer}, if there is one. Answers recorded on
 * 6.0.27 and 4.4.2.
 */
class ValidatorTests {

	private static List<ServerUnderTest> servers;

	@BeforeAll
	static void startServers() {
		servers = ServerUnderTest.start(Recording.REPLICA_SET_5_0);
	}

	@AfterAll
	static void stopServers() {
		servers.forEach(ServerUnderTest::close);
	}

	static List<ServerUnderTest> servers() {
		return servers;
	}

	@ParameterizedTest
	@MethodSource("servers")
	void documentsThatDoNotMatchAValidatorAreNotWritten(ServerUnderTest server) {
		MongoDatabase database = server.client().getDatabase("validated");
		database.drop();
		run(database, """
				{ insert: "locks", documents: [ { _id: "a", holders: [ { token: "t" } ] },
						{ _id: "b", open: 1, holders: [ { token: "t" } ] } ] }""");
		run(database, "{ collMod: 'locks', validator: { open: { $exists: true } } }");

		BsonDocument renewed = run(database,
				"""
						{ update: "locks", ordered: false, updates: [
								{ q: { _id: "a", "holders.token": "t" }, u: { $currentDate: { "holders.$.renewedAt": true } } },
								{ q: { _id: "b", "holders.token": "t" }, u: { $currentDate: { "holders.$.renewedAt": true } } },
								{ q: { _id: "a", "holders.token": "x" }, u: { $currentDate: { "holders.$.renewedAt": true } } } ] }""");
		assertThat(renewed.getNumber("n").intValue()).isOne();
		assertThat(renewed.getArray("writeErrors")).hasSize(1).first().satisfies((error) -> {
			assertThat(error.asDocument().getNumber("index").intValue()).isZero();
			assertThat(error.asDocument().getNumber("code").intValue()).isEqualTo(121);
			assertThat(error.asDocument().getString("errmsg").getValue()).isEqualTo("Document failed validation");
		});

		// What changes nothing is not validated
		BsonDocument released = run(database,
				"{ update: 'locks', updates: [ { q: { _id: 'a' }, u: { $pull: { holders: { token: 'x' } } } } ] }");
		assertThat(released).doesNotContainKey("writeErrors");
		assertThat(released.getNumber("nModified").intValue()).isZero();

		for (String id : List.of("a", "new")) {
			assertThatExceptionOfType(MongoCommandException.class)
				.isThrownBy(() -> run(database,
						"""
								{ findAndModify: "locks", query: { _id: "%s" }, upsert: true, new: true,
										update: [ { $replaceWith: { $mergeObjects: [ "$$ROOT", { x: 1 } ] } } ] }"""
							.formatted(id)))
				.satisfies((ex) -> assertThat(ex.getErrorCodeName()).isEqualTo("DocumentValidationFailure"))
				.extracting(MongoCommandException::getErrorCode)
				.isEqualTo(121);
		}
		assertThat(database.getCollection("locks", BsonDocument.class).find())
			.contains(BsonDocument.parse("{ _id: 'a', holders: [ { token: 't' } ] }"))
			.hasSize(2);

		run(database, "{ collMod: 'locks', validator: {} }");
		assertThat(run(database,
				"{ update: 'locks', updates: [ { q: { _id: 'a' }, u: { $pull: { holders: { token: 't' } } } } ] }"))
			.doesNotContainKey("writeErrors");
		assertThat(database.getCollection("locks", BsonDocument.class).find())
			.contains(BsonDocument.parse("{ _id: 'a', holders: [] }"));
		database.drop();
	}

	private static BsonDocument run(MongoDatabase database, String command) {
		return database.runCommand(BsonDocument.parse(command), BsonDocument.class);
	}

}
