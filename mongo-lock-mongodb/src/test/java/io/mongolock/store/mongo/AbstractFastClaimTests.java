package io.mongolock.store.mongo;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.FindOneAndUpdateOptions;
import com.mongodb.client.model.ReturnDocument;
import org.bson.BsonArray;
import org.bson.BsonDateTime;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonString;
import org.bson.conversions.Bson;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.mongolock.store.Claim;
import io.mongolock.store.Claims;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link FastClaim}: on random documents it decides as {@link ClaimPipeline}
 * does wherever it grants.
 */
abstract class AbstractFastClaimTests {

	private static final int DOCUMENTS = 100;

	private static final List<Integer> LIMITS = List.of(1, 1, 2, Integer.MAX_VALUE);

	/**
	 * Where to ask.
	 */
	abstract MongoCollection<BsonDocument> locks();

	/**
	 * The server's clock.
	 */
	abstract Instant now();

	/**
	 * How far dates, and fences from its clock, are from the server's time, at least,
	 * unless dates are equal to it.
	 * @return a time in which nothing but a request or two is done
	 */
	abstract Duration unit();

	/**
	 * The document that a statement left behind, in a form that does not say when it was
	 * executed.
	 */
	abstract BsonDocument timeless(BsonDocument after);

	@ParameterizedTest
	@ValueSource(longs = { 1, 2, 3 })
	void whereItGrantsTheGeneralClaimGrantsTheSame(long seed) {
		Random random = new Random(seed);
		FastClaim fast = new FastClaim();
		ClaimPipeline general = new ClaimPipeline();
		int granted = 0;
		int grantedOnlyByTheGeneral = 0;
		MongoCollection<BsonDocument> locks = locks();
		for (int i = 0; i < DOCUMENTS; i++) {
			BsonDocument before = document(random);
			Claim claim = Claims.first(Claims.reserve(Claims.on("key"), random.nextInt(2) * 64));
			BsonDocument byFast = after(locks, before, fast.of(claim));
			BsonDocument byGeneral = after(locks, before, general.of(claim));
			if (isGranted(byFast, claim)) {
				granted++;
				assertThat(isGranted(byGeneral, claim)).as("granted by the general claim from %s", before).isTrue();
				if (!before.containsKey("holders")) {
					// There are none, the field missing or empty
					byFast.remove("previous");
				}
				assertThat(timeless(byFast)).as("from %s", before).isEqualTo(timeless(byGeneral));
			}
			else {
				assertThat(byFast).as("denied").isEqualTo(before);
				grantedOnlyByTheGeneral += isGranted(byGeneral, claim) ? 1 : 0;
			}
		}
		assertThat(granted).isBetween(DOCUMENTS / 10, DOCUMENTS * 9 / 10);
		assertThat(grantedOnlyByTheGeneral).as("where it knows too little").isPositive();
	}

	@Test
	void itSuitsTheFirstRequestOfAnExclusiveClaimThatDoesNotWait() {
		Claim claim = Claims.on("key");
		assertThat(FastClaim.suits(Claims.first(claim))).isTrue();
		assertThat(FastClaim.suits(Claims.first(Claims.reserve(claim, 64)))).isTrue();
		assertThat(FastClaim.suits(claim)).isFalse();
		assertThat(FastClaim.suits(Claims.waiting(Claims.first(claim)))).isFalse();
		assertThat(FastClaim.suits(Claims.first(claim).withLimit(2))).isFalse();
	}

	private BsonDocument after(MongoCollection<BsonDocument> locks, BsonDocument before, List<? extends Bson> claim) {
		Bson filter = new BsonDocument("_id", before.get("_id"));
		locks.deleteOne(filter);
		locks.insertOne(before.clone());
		BsonDocument after = locks.findOneAndUpdate(filter, claim,
				new FindOneAndUpdateOptions().upsert(true).returnDocument(ReturnDocument.AFTER));
		assertThat(after).isNotNull();
		return after;
	}

	private static boolean isGranted(BsonDocument after, Claim claim) {
		return new LockDocument(after).mentions(claim.id().leaseToken());
	}

	private BsonDocument document(Random random) {
		BsonDocument document = new BsonDocument("_id", new BsonString("key"));
		if (random.nextInt(10) != 0) {
			document.append("holders", entries(random, "h"));
		}
		if (random.nextInt(10) != 0) {
			document.append("queue", entries(random, "w"));
		}
		if (random.nextInt(10) != 0) {
			long clock = now().toEpochMilli() * 1024;
			long ahead = (random.nextBoolean() ? 1 : -1) * unit().toMillis() * (1 + random.nextInt(1000));
			document.append("fence", new BsonInt64(clock + ahead));
		}
		if (random.nextBoolean()) {
			document.append("note", new BsonString("$$NOW"));
		}
		return document;
	}

	private BsonArray entries(Random random, String token) {
		int size = Math.max(0, random.nextInt(6) - 2);
		boolean dead = random.nextInt(4) != 0;
		return new BsonArray(IntStream.range(0, size).mapToObj((i) -> entry(random, token + i, dead)).toList());
	}

	private BsonDocument entry(Random random, String token, boolean dead) {
		Duration ttl = unit().multipliedBy(1 + random.nextInt(20));
		// At the edge as often as not
		long remaining = (dead) ? -random.nextInt(12) : random.nextInt(3) - 1;
		long renewedAt = now().plus(unit().multipliedBy(remaining)).minus(ttl).toEpochMilli();
		return new BsonDocument("token", new BsonString(token)).append("fence", new BsonInt64(7))
			.append("limit", new BsonInt32(LIMITS.get(random.nextInt(LIMITS.size()))))
			.append("owner", new BsonDocument())
			.append("acquiredAt", new BsonDateTime(renewedAt))
			.append("renewedAt", new BsonDateTime(renewedAt))
			.append("ttl", new BsonInt64(ttl.toMillis()));
	}

}
