package io.mongolock.store.mongo;

import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

import org.bson.BsonArray;
import org.bson.BsonBoolean;
import org.bson.BsonDateTime;
import org.bson.BsonDecimal128;
import org.bson.BsonDocument;
import org.bson.BsonDouble;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonNull;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.bson.types.Decimal128;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import io.mongolock.LockOwner;
import io.mongolock.LockStoreException;
import io.mongolock.LockStoreException.Outcome;
import io.mongolock.store.Claim;
import io.mongolock.store.LeaseId;
import io.mongolock.store.StoredLock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link LockDocument}: whatever somebody has written into the document of a
 * lock, it is read, or is said to be no lock.
 */
class LockDocumentTests {

	private static final StoreRequest REQUEST = StoreRequest.write("acquire lock", "key", Duration.ofSeconds(1));

	private static final LockOwner OWNER = new LockOwner("app", "1", "host", 1, "main");

	static List<BsonValue> forgeries() {
		return List.of(new BsonInt32(-1), new BsonInt64(Long.MAX_VALUE), new BsonInt64(Long.MIN_VALUE),
				new BsonDouble(Double.NaN), new BsonDouble(-1.5), new BsonDecimal128(Decimal128.NaN),
				new BsonDecimal128(Decimal128.POSITIVE_INFINITY), new BsonDecimal128(Decimal128.NEGATIVE_ZERO),
				new BsonDecimal128(Decimal128.parse("1E+6000")), new BsonString("text"), new BsonString(""),
				new BsonString("x".repeat(10_000)), new BsonString("\n"), new BsonNull(), BsonBoolean.TRUE,
				new BsonArray(), new BsonArray(List.of(new BsonNull())), new BsonArray(List.of(new BsonDocument())),
				new BsonDocument(), new BsonDateTime(Long.MAX_VALUE), new BsonDateTime(Long.MIN_VALUE));
	}

	@ParameterizedTest
	@MethodSource("forgeries")
	void aForgedFieldIsReadOrRefused(BsonValue forged) {
		Stream.of("holders", "queue", "fence", "now", "shown").forEach((field) -> {
			refusedOrRead(lock().append(field, forged), Outcome.REFUSED);
			Stream.of("token", "fence", "limit", "acquiredAt", "renewedAt", "ttl", "linger", "kept")
				.forEach((name) -> refusedOrRead(lock(field, entry().append(name, forged)), Outcome.REFUSED));
		});
		Stream.of("ahead", "behind", "limit", "queue")
			.forEach((name) -> refusedOrRead(lock().append("shown",
					new BsonDocument("ahead", new BsonInt32(1)).append("behind", new BsonInt32(1))
						.append(name, forged)),
					Outcome.REFUSED));
	}

	@ParameterizedTest
	@MethodSource("forgeries")
	void aForgeryBesideOurGrantIsReadOrOfUnknownOutcome(BsonValue forged) {
		BsonDocument granted = entry().append("token", new BsonString("mine"));
		refusedOrRead(lock().append("holders", new BsonArray(List.of(granted, entry().append("ttl", forged)))),
				Outcome.UNKNOWN);
		refusedOrRead(lock("holders", granted).append("fence", forged), Outcome.UNKNOWN);
	}

	@Test
	void aLookAtWhatIsNoLockHasChangedNothing() {
		LockDocument mine = new LockDocument(lock("holders", entry().append("token", new BsonInt32(1))));
		assertThatExceptionOfType(LockStoreException.class)
			.isThrownBy(() -> mine.read(REQUEST, "locks", (lock) -> lock.toLock("key")))
			.returns(Outcome.REFUSED, LockStoreException::getOutcome);
	}

	@ParameterizedTest
	@MethodSource("forgeries")
	void forgedFieldsForDiagnosticsAloneStopNoRead(BsonValue forged) {
		assertThat(read(lock().append("previous", forged)).previous()).isEmpty();
		assertThatCode(() -> read(lock().append("recalled", forged))).doesNotThrowAnyException();
		Stream.of("token", "fence", "limit", "acquiredAt", "renewedAt", "ttl", "linger", "kept", "owner")
			.forEach((name) -> assertThatCode(() -> read(lock("previous", entry().append(name, forged))))
				.doesNotThrowAnyException());
		Stream.of("owner", "releaseRequest", "kept")
			.forEach((name) -> assertThat(read(lock("holders", entry().append(name, forged))).isHeld()).isTrue());
		Stream.of("application", "instance", "host", "pid", "thread", "as").forEach((name) -> {
			BsonDocument entry = entry().append("owner", LockDocument.owner(OWNER).append(name, forged));
			assertThat(read(lock("holders", entry)).isHeld()).as(name).isTrue();
			assertThat(read(lock("previous", entry)).previous()).as(name).hasSize(1);
		});
		Stream.of("reason", "by", "at").forEach((name) -> {
			BsonDocument request = new BsonDocument("reason", new BsonString("r")).append("by", new BsonString("b"))
				.append("at", new BsonDateTime(0))
				.append(name, forged);
			assertThat(read(lock("holders", entry().append("releaseRequest", request))).isHeld()).as(name).isTrue();
		});
	}

	private static StoredLock read(BsonDocument document) {
		Claim claim = new Claim(new LeaseId("key", "mine"), 1, 0, null, OWNER, Duration.ofSeconds(1), true,
				Duration.ZERO);
		return new LockDocument(document).toLock(REQUEST, claim, false, "locks");
	}

	private static void refusedOrRead(BsonDocument document, Outcome outcome) {
		try {
			read(document).isHeld();
		}
		catch (LockStoreException ex) {
			assertThat(ex.getOutcome()).as(document.toString()).isEqualTo(outcome);
		}
	}

	private static BsonDocument lock() {
		return new BsonDocument("_id", new BsonString("key")).append("holders", new BsonArray())
			.append("now", new BsonDateTime(1))
			.append("fence", new BsonInt64(1));
	}

	private static BsonDocument lock(String field, BsonDocument entry) {
		return lock().append(field, new BsonArray(List.of(entry)));
	}

	private static BsonDocument entry() {
		return new BsonDocument("token", new BsonString("other")).append("fence", new BsonInt64(1))
			.append("limit", new BsonInt32(1))
			.append("owner", LockDocument.owner(OWNER))
			.append("acquiredAt", new BsonDateTime(0))
			.append("renewedAt", new BsonDateTime(0))
			.append("ttl", new BsonInt64(30_000));
	}

}
