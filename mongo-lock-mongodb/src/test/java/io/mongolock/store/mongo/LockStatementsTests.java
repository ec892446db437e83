package io.mongolock.store.mongo;

import org.bson.BsonDocument;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LockStatements}; those for claims compare them with what a real server
 * proved.
 */
class LockStatementsTests {

	private final LockStatements statements = new LockStatements();

	@ParameterizedTest
	@CsvSource({ "app:, app;", "a, b", "\uD7FF, \uE000", "a\uDBFF\uDFFF, b", "🔒, 🔓", "\uFFFF, \uD800\uDC00" })
	void aKeySpaceEndsBeforeTheNextPrefix(String prefix, String end) {
		BsonDocument range = this.statements.heldWithin(prefix, "").getDocument("_id");
		assertThat(range.getString("$gte").getValue()).isEqualTo(prefix);
		assertThat(range.getString("$lt").getValue()).isEqualTo(end);
	}

	@Test
	void aKeySpaceWithoutPrefixIsAllStrings() {
		assertThat(this.statements.heldWithin("", "").getDocument("_id")).isEqualTo(BsonDocument.parse("{$gte: ''}"));
		assertThat(this.statements.heldWithin("\uDBFF\uDFFF", "").getDocument("_id")).containsOnlyKeys("$gte");
	}

	@Test
	void aProjectionBringsTheTimeOfTheServer() {
		assertThat(this.statements.projection("holders")).isEqualTo(BsonDocument.parse("{now: '$$NOW', holders: 1}"));
	}

}
