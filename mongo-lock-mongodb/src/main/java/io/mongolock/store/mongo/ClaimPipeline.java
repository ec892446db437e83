package io.mongolock.store.mongo;

import java.time.Duration;
import java.util.List;

import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

import io.mongolock.store.Claim;
import io.mongolock.store.StoredWaiter;

/**
 * The statement that decides all claims but {@link FastClaim}'s, exactly as it was
 * recorded on a real server. A change here must be proved on a real server. Constant
 * parts are built once, and encoded once if that is worth it. Thread-safe, because the
 * built documents are never changed.
 */
final class ClaimPipeline extends ClaimStatements {

	private final BsonString entry = string("$$e");

	private final BsonString entryToken = string("$$e.token");

	private final BsonString alive = string("$$alive");

	private final BsonString line = string("$$line");

	private final BsonString next = string("$$next");

	private final BsonDocument refresh = encoded(
			operator("$mergeObjects", this.entry, document("renewedAt", this.now)));

	private final BsonDocument counts = encoded(lasts(string("$$e.ttl")));

	/**
	 * A place stays for longer than it counts, so that an election does not cost the
	 * waiters their places.
	 */
	private final BsonDocument stays = encoded(
			lasts(operator("$multiply", string("$$e.ttl"), new BsonInt32(StoredWaiter.STAYS))));

	private final BsonDocument staying = encoded(present("queue", this.stays));

	private final BsonDocument entries = encoded(
			document("alive", present("holders", this.counts), "line", this.staying));

	private final BsonDocument taken = encoded(
			operator("$add", document("$size", this.alive), document("$size", string("$$ahead"))));

	private final BsonDocument aliveLimit = encoded(document("$min", string("$$alive.limit")));

	private final BsonDocument aheadLimit = encoded(document("$min", string("$$ahead.limit")));

	/**
	 * The token of the holder whose client may keep the lease, if there is one (then it
	 * is the only holder); otherwise unchanged.
	 */
	private final BsonDocument recalled = encoded(operator("$cond", document("$size", string("$$alive.linger")),
			document("$max", string("$$alive.token")), path(LockDocument.RECALLED)));

	private final BsonDocument granted;

	/** For locks that have documents of their own. */
	ClaimPipeline() {
		super(null);
		this.granted = new BsonDocument();
	}

	/**
	 * For locks in documents of the application.
	 * @param version the field that a grant adds one to, {@code null} if there is none
	 */
	ClaimPipeline(String field, @Nullable String version) {
		super(field);
		this.granted = (version != null) ? document(version, next(version)) : new BsonDocument();
	}

	private static BsonDocument next(String version) {
		return operator("$add", operator("$ifNull", string("$" + version), new BsonInt32(0)), new BsonInt32(1));
	}

	/**
	 * Grants the claim or leaves the document as it is. A waiting claim that is not
	 * granted enters the queue, and recalls a holder whose client may keep the lease.
	 */
	List<BsonDocument> of(Claim claim) {
		return of(claim, this.entries);
	}

	/**
	 * Grants the claim even if the given grant is still live, and replaces it.
	 * @param fence the fence of the grant to replace
	 */
	List<BsonDocument> replacing(Claim claim, long fence) {
		BsonDocument others = operator("$and", this.counts, operator("$ne", string("$$e.fence"), number(fence)));
		return of(claim, document("alive", present("holders", others), "line", this.staying));
	}

	private List<BsonDocument> of(Claim claim, BsonDocument entries) {
		BsonDocument token = token(claim);
		BsonDocument variables = document("ahead", ahead(token), "next", this.nextFence);
		return replaceWith(let(entries, let(variables, decide(claim, token))));
	}

	/**
	 * Enters the queue, or refreshes the place there, without asking for the lock.
	 * @param placeTtl how long the place counts without refresh
	 */
	List<BsonDocument> enter(Claim claim, Duration placeTtl) {
		BsonDocument entered = changed(queueWith(claim, token(claim), placeTtl));
		return replaceWith(let(document("line", this.staying), entered));
	}

	private BsonDocument decide(Claim claim, BsonDocument token) {
		BsonDocument others = filter(this.line, operator("$ne", this.entryToken, token));
		BsonDocument again = changed(
				document("holders", refreshed(this.alive, token), "queue", others).append("touchedAt", this.now));
		BsonDocument limit = operator("$min", new BsonInt32(claim.limit()), this.aliveLimit, this.aheadLimit);
		BsonDocument admitted = operator("$cond", operator("$lt", this.taken, limit), grant(claim, token, others),
				(claim.placeTtl() != null) ? enterQueue(claim, token, claim.placeTtl()) : this.root);
		return operator("$cond", operator("$in", token, string("$$alive.token")), again, admitted);
	}

	private BsonDocument grant(Claim claim, BsonDocument token, BsonDocument others) {
		BsonDocument holder = holder(claim, token, granted(claim, this.next));
		BsonDocument lock = document("holders", appended(this.alive, holder), "queue", others)
			.append("fence", this.next)
			.append("touchedAt", this.now)
			.append("previous", path("holders"));
		return changed(lock, this.granted);
	}

	private BsonDocument enterQueue(Claim claim, BsonDocument token, Duration placeTtl) {
		return changed(queueWith(claim, token, placeTtl).append(LockDocument.RECALLED, this.recalled));
	}

	private BsonDocument queueWith(Claim claim, BsonDocument token, Duration placeTtl) {
		BsonDocument waiter = document("token", token, "limit", new BsonInt32(claim.limit()))
			.append("owner", literal(LockDocument.waiter(claim)))
			.append("renewedAt", this.now)
			.append("ttl", number(placeTtl.toMillis()));
		BsonDocument queue = operator("$cond", operator("$in", token, string("$$line.token")),
				refreshed(this.line, token), appended(this.line, waiter));
		return document("touchedAt", this.now, "queue", queue);
	}

	private BsonDocument ahead(BsonDocument token) {
		BsonDocument place = document("at", operator("$indexOfArray", string("$$line.token"), token));
		BsonDocument before = let(place, operator("$cond", operator("$lt", string("$$at"), new BsonInt32(0)), this.line,
				operator("$slice", this.line, string("$$at"))));
		return filter(before, this.counts);
	}

	private BsonDocument present(String entries, BsonDocument condition) {
		return filter(operator("$ifNull", path(entries), array()), condition);
	}

	private BsonDocument lasts(BsonValue millis) {
		return operator("$gt", operator("$add", string("$$e.renewedAt"), millis), this.now);
	}

	private BsonDocument refreshed(BsonValue entries, BsonDocument token) {
		return document("$map", document("input", entries, "as", string("e")).append("in",
				operator("$cond", operator("$eq", this.entryToken, token), this.refresh, this.entry)));
	}

	private static BsonDocument appended(BsonValue entries, BsonDocument last) {
		return operator("$concatArrays", entries, array(last));
	}

}
