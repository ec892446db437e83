package io.mongolock.documents.store;

import java.util.stream.Stream;

import org.bson.BsonBinary;
import org.bson.BsonBoolean;
import org.bson.BsonDateTime;
import org.bson.BsonDecimal128;
import org.bson.BsonDocument;
import org.bson.BsonDouble;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonObjectId;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.bson.types.Decimal128;
import org.bson.types.ObjectId;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests for {@link DocumentKey}.
 */
class DocumentKeyTests {

	static Stream<BsonValue> ids() {
		return Stream.concat(
				Stream
					.of("p1", "42", "-1", "", "a:b", "true", "null", "NaN", "ObjectId(\"65a1b2c3d4e5f60718293a4b\")",
							"{a: 1}", "\"quoted\"", "\\", "a\\", "ä\uD83D\uDD12", "a\nb", "/x/", "Infinity", " p1 ")
					.map(BsonString::new),
				Stream.of(new BsonInt32(42), new BsonInt64(Long.MIN_VALUE), new BsonInt64(1L << 40),
						new BsonDouble(1.5), new BsonDouble(1), new BsonBoolean(true),
						new BsonDateTime(1_700_000_000_123L),
						new BsonObjectId(new ObjectId("65a1b2c3d4e5f60718293a4b")),
						new BsonDecimal128(Decimal128.parse("12.50")),
						new BsonBinary((byte) 4, new byte[] { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16 }),
						BsonDocument.parse("{tenant: 'a', number: {$numberLong: '7'}}")));
	}

	@ParameterizedTest
	@MethodSource("ids")
	void everyIdHasATextOfItsOwnThatBringsItBack(BsonValue id) {
		for (String collection : new String[] { "posts", "a:b", "a%", "%:a.b", "a%3Ab", "%253A" }) {
			DocumentKey key = new DocumentKey(collection, id);
			assertThat(DocumentKey.parse(key.toString())).isEqualTo(key);
		}
	}

	@Test
	void noTwoIdsHaveTheSameText() {
		assertThat(ids().map((id) -> new DocumentKey("posts", id).toString())).doesNotHaveDuplicates()
			.contains("posts:p1", "posts:42", "posts:\"42\"", "posts:ObjectId(\"65a1b2c3d4e5f60718293a4b\")");
	}

	@Test
	void anIdIsOneInAllKindsOfNumbersAsItIsToMongoDb() {
		for (BsonValue id : new BsonValue[] { new BsonInt32(42), new BsonInt64(42), new BsonDouble(42) }) {
			assertThat(new DocumentKey("posts", id)).hasToString("posts:42");
		}
		assertThat(new DocumentKey("posts", new BsonDouble(1L << 40)))
			.isEqualTo(new DocumentKey("posts", new BsonInt64(1L << 40)));
		for (BsonValue id : new BsonValue[] { new BsonDouble(0.5), new BsonDouble(0x1p63), new BsonDouble(Double.NaN),
				new BsonInt64(Long.MAX_VALUE) }) {
			assertThat(new DocumentKey("posts", id).id()).isEqualTo(id);
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "posts", "posts:", ":p1", "posts:{", "posts%3A", "posts:1 2", "posts:/a/", "posts:[1]",
			"posts:{$gt: 0}", "posts:{a: 1, $ne: 2}" })
	void textsThatAreNoKeyAreRefused(String text) {
		assertThatIllegalArgumentException().isThrownBy(() -> DocumentKey.parse(text)).withMessageContaining("is not");
	}

	@Test
	void anIdThatIsNestedWithoutEndIsRefusedUnread() {
		for (String opening : new String[] { "{a:", "[" }) {
			assertThatIllegalArgumentException()
				.isThrownBy(() -> DocumentKey.parse("posts:" + opening.repeat(100_000) + "1"))
				.withMessageContaining("nested too deeply");
		}
	}

}
