package io.mongolock.store.mongo;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

import org.bson.BsonArray;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonString;
import org.bson.BsonValue;

import io.mongolock.store.HiddenPlaces;
import io.mongolock.store.LockFilter;

/**
 * All statements but claims: classic updates, filters and projections, exactly as they
 * were recorded on a real server. A change here must be proved on a real server.
 * Thread-safe, because the built documents are never changed.
 */
final class LockStatements extends Statements {

	private static final BsonDocument COUNTING = encoded(filter(operator("$ifNull", string("$queue"), new BsonArray()),
			operator("$gt", operator("$add", string("$$e.renewedAt"), string("$$e.ttl")), string("$$NOW"))));

	/** No token. */
	private static final BsonDocument NOBODY = literal(new BsonString(""));

	private static final BsonInt32 SHOWN = new BsonInt32(HiddenPlaces.SHOWN);

	private static final BsonDocument AWAITED = encoded(
			document("previous", new BsonInt32(0), "queue", document("$slice", new BsonInt32(1))));

	private static final BsonInt32 ALL = new BsonInt32(Integer.MAX_VALUE);

	private final String path;

	private final BsonDocument renewedNow;

	private final BsonDocument renewal;

	private final BsonDocument refresh;

	/** For locks that have documents of their own. */
	LockStatements() {
		this("");
	}

	/**
	 * For locks anywhere in a document.
	 * @param path the path of the lock, with a dot at its end unless it is empty
	 */
	LockStatements(String path) {
		this.path = path;
		this.renewedNow = now("holders.$.renewedAt");
		this.renewal = encoded(document("$currentDate", this.renewedNow));
		this.refresh = encoded(document("$currentDate", now("queue.$.renewedAt")));
	}

	// The TTL index reads this field of lock documents. Documents of the application have
	// no such field
	private BsonDocument now(String field) {
		BsonDocument now = document(this.path + field, BsonBoolean.TRUE);
		return (this.path.isEmpty()) ? now.append("touchedAt", BsonBoolean.TRUE) : now;
	}

	/**
	 * Selects the lock if a token stands in its queue; {@code $} in {@link #refresh()} is
	 * that entry.
	 */
	BsonDocument awaitedBy(BsonValue id, String token) {
		return document("_id", id, this.path + "queue.token", string(token));
	}

	/**
	 * Refreshes a place in the queue.
	 */
	BsonDocument refresh() {
		return this.refresh;
	}

	/**
	 * Selects the lock if a token holds it; {@code $} in {@link #renewal()} is that
	 * entry.
	 */
	BsonDocument heldBy(BsonValue id, String token) {
		return document("_id", id, this.path + "holders.token", string(token));
	}

	/**
	 * One lock.
	 * @return a filter that the server answers without planning
	 */
	BsonDocument byId(BsonValue id) {
		return document("_id", id);
	}

	/**
	 * Several locks.
	 */
	BsonDocument byIds(List<? extends BsonValue> ids) {
		return document("_id", document("$in", new BsonArray(ids)));
	}

	/**
	 * Renews a lease: at half the cost of a pipeline, and unable to bring back a lease
	 * that is gone.
	 */
	BsonDocument renewal() {
		return this.renewal;
	}

	/**
	 * Renews a lease, and writes the holder's note.
	 */
	BsonDocument renewal(String note) {
		return document("$set", document(this.path + "holders.$.note", string(note)), "$currentDate", this.renewedNow);
	}

	/**
	 * Gives the lease of a finished holder its last length, from now on. It touches the
	 * document as a renewal does, because unlike a release it frees nothing.
	 */
	BsonDocument keep(Duration ttl) {
		BsonDocument kept = document(this.path + "holders.$.ttl", number(ttl.toMillis()), this.path + "holders.$.kept",
				BsonBoolean.TRUE);
		return document("$set", kept, "$currentDate", this.renewedNow);
	}

	/**
	 * Asks a holder to release the lock. Like {@link #keep} it touches the document,
	 * because it frees nothing.
	 */
	BsonDocument releaseRequest(String reason, String by) {
		String entry = this.path + "holders.$.releaseRequest.";
		return document("$set", document(entry + "reason", string(reason), entry + "by", string(by))).append(
				"$currentDate", document(entry + "at", BsonBoolean.TRUE, this.path + "touchedAt", BsonBoolean.TRUE));
	}

	/**
	 * Writes the document without changing its lock.
	 */
	BsonDocument touch() {
		return document("$currentDate", document("touchedAt", BsonBoolean.TRUE));
	}

	/**
	 * Takes the entry of a token out of the holders.
	 */
	BsonDocument release(String token) {
		return pull("holders", document("token", string(token)));
	}

	/**
	 * Takes the entry of one grant out of the holders.
	 */
	BsonDocument release(String token, long fence) {
		return pull("holders", document("token", string(token)).append("fence", new BsonInt64(fence)));
	}

	/**
	 * Takes the entry of a token out of the queue.
	 */
	BsonDocument leave(String token) {
		return pull("queue", document("token", string(token)));
	}

	/**
	 * The locks of a range of keys.
	 * @param after the id after which to begin, empty for all
	 */
	BsonDocument within(String prefix, String after) {
		BsonDocument range = (after.isEmpty()) ? document("$gte", string(prefix)) : document("$gt", string(after));
		String end = firstBeyond(prefix);
		if (!end.isEmpty()) {
			range.append("$lt", string(end));
		}
		return document("_id", range);
	}

	/**
	 * The locks of a range that had a holder when last touched.
	 * @param after the id after which to begin, empty for all
	 */
	BsonDocument heldWithin(String prefix, String after) {
		BsonDocument held = within(prefix, after);
		held.putAll(held());
		return held;
	}

	/**
	 * The locks that had a holder when last touched.
	 */
	BsonDocument held() {
		return exists(this.path + "holders.0", true);
	}

	/**
	 * The locks whose id begins with a text, or is no text.
	 */
	BsonDocument withinTexts(String start) {
		return operator("$or", within(start, ""),
				document("_id", document("$not", document("$type", string("string")))));
	}

	/**
	 * Whether a document comes after an id in the server's order, which covers ids of all
	 * kinds.
	 */
	static BsonDocument isBehind(BsonValue id) {
		return operator("$gt", string("$_id"), literal(id));
	}

	/**
	 * Whether a lock has a holder that matches the filter, even if its lease has run out.
	 * The query fails for all documents if the server cannot tell for one. The text that
	 * is searched contains the owner's own description, and perhaps more.
	 */
	BsonDocument hasHolder(LockFilter filter) {
		BsonString application = string("$$e.owner.application");
		BsonDocument named = operator("$cond", operator("$eq", text(application), string("")), string(""),
				operator("$concat", application, string(" ")));
		BsonDocument owner = operator("$concat", text(string("$$e.owner.as")), string(" at "), named,
				text(string("$$e.owner.instance")), string(" (host "), text(string("$$e.owner.host")), string(", pid "),
				document("$toString", operator("$ifNull", string("$$e.owner.pid"), number(0))), string(", thread "),
				text(string("$$e.owner.thread")), string(")"));
		BsonDocument isNamed = operator("$gte", operator("$indexOfCP", owner, literal(string(filter.holder()))),
				new BsonInt32(0));
		// The difference is negative after a step of the clock
		BsonDocument heldFor = operator("$max", operator("$subtract", string("$$NOW"), string("$$e.acquiredAt")),
				number(0));
		BsonDocument isHeldFor = operator("$gte", heldFor, number(TimeUnit.MILLISECONDS.convert(filter.heldFor())));
		BsonDocument holders = operator("$ifNull", string("$" + this.path + "holders"), new BsonArray());
		return operator("$gt", document("$size", filter(holders, operator("$and", isNamed, isHeldFor))),
				new BsonInt32(0));
	}

	private static BsonDocument text(BsonString field) {
		return operator("$ifNull", field, string(""));
	}

	/**
	 * The events of a change stream that free a place. One kind is an update that writes
	 * the holders or the queue as a whole, but not the date that claims and renewals set.
	 * The other kind is the end of a document or of the collection.
	 */
	List<BsonDocument> releases() {
		String updated = "updateDescription.updatedFields.";
		BsonDocument whole = operator("$or", exists(updated + "holders", true), exists(updated + "queue", true));
		BsonDocument freed = operator("$and", document("operationType", string("update")),
				exists(updated + "touchedAt", false), whole);
		BsonDocument ended = document("operationType",
				document("$in", new BsonArray(List.of(string("delete"), string("invalidate")))));
		// The event of a waiter that left has the whole queue, which is not needed here
		BsonDocument shown = document(FollowedStream.KEY, new BsonInt32(1), FollowedStream.FENCE,
				string("$" + updated + "fence"));
		return List.of(document("$changeStream", new BsonDocument()), document("$match", operator("$or", freed, ended)),
				document("$project", shown));
	}

	/**
	 * The events of a change stream that recall a holder, with its token. A server may
	 * show a claim that enters the queue in two ways: as an update of the field with that
	 * token, or as a replaced document. A replaced document counts only while that holder
	 * is in it.
	 */
	List<BsonDocument> recalls() {
		String updated = "updateDescription.updatedFields." + LockDocument.RECALLED;
		BsonDocument isHolder = operator("$eq", document("$max", string("$fullDocument.holders.token")),
				string("$fullDocument." + LockDocument.RECALLED));
		BsonDocument replaced = operator("$and", document("operationType", string("replace")),
				document("$expr", isHolder));
		BsonDocument recalled = operator("$ifNull", string("$" + updated),
				string("$fullDocument." + LockDocument.RECALLED));
		return List.of(document("$changeStream", new BsonDocument()),
				document("$match",
						operator("$or", exists(updated, true), replaced,
								document("operationType", string("invalidate")))),
				document("$project", document(FollowedStream.KEY, new BsonInt32(1), LockDocument.RECALLED, recalled)));
	}

	/**
	 * The fields to answer to a release: of the queue only the first place, so that a
	 * long queue costs no more to send.
	 */
	BsonDocument whetherAwaited() {
		return AWAITED;
	}

	/**
	 * The fields to answer, along with the server's time.
	 */
	BsonDocument projection(String... fields) {
		return encoded(fields(fields));
	}

	/**
	 * The fields to answer to a claim: all that a waiter sees, and all that a grant
	 * needs.
	 * @param token the claim's token, an expression
	 */
	BsonDocument claimed(BsonValue token) {
		return fields("holders", "fence", "previous", LockDocument.RECALLED).append(LockDocument.SHOWN, shown(token));
	}

	/**
	 * The fields to answer to a caller without a place in the queue: of the queue its
	 * head, and the number of the other places.
	 */
	BsonDocument answer() {
		return answer(NOBODY);
	}

	/**
	 * The fields to answer to a waiter. Of the queue the answer has the head, the
	 * waiter's own place and the number of the other places. So a long queue costs no
	 * more to send.
	 * @param token the waiter's token, an expression
	 */
	BsonDocument answer(BsonValue token) {
		return fields("holders", "fence", LockDocument.RECALLED).append(LockDocument.SHOWN, shown(token));
	}

	/**
	 * The fields to answer to several waiters, each of another lock.
	 */
	BsonDocument answers(List<? extends BsonValue> ids, List<? extends BsonValue> tokens) {
		// Both arrays are constants, so the server finds an id in the first by its hash
		BsonDocument at = operator("$indexOfArray", literal(new BsonArray(ids)), string("$_id"));
		return answer(operator("$arrayElemAt", literal(new BsonArray(tokens)), at));
	}

	private static BsonDocument fields(String... fields) {
		BsonDocument projection = document("now", string("$$NOW"));
		for (String field : fields) {
			projection.append(field, new BsonInt32(1));
		}
		return projection;
	}

	private static BsonDocument shown(BsonValue token) {
		BsonString at = string("$$at");
		BsonString ahead = string("$$ahead");
		BsonString counting = string("$$counting");
		BsonDocument none = operator("$lt", at, new BsonInt32(0));
		BsonDocument head = operator("$slice", ahead, SHOWN);
		BsonDocument own = operator("$slice", counting, at, new BsonInt32(1));
		BsonDocument others = operator("$subtract", document("$size", counting),
				operator("$add", at, new BsonInt32(1)));
		BsonDocument shown = document("queue",
				operator("$concatArrays", head, operator("$cond", none, new BsonArray(), own)), "ahead",
				document("$size", ahead))
			.append("limit", document("$min", operator("$slice", string("$$ahead.limit"), SHOWN, ALL)))
			.append("behind", operator("$cond", none, new BsonInt32(0), others));
		BsonDocument before = operator("$cond", none, counting, operator("$slice", counting, at));
		return let(document("counting", COUNTING),
				let(document("at", operator("$indexOfArray", string("$$counting.token"), token)),
						let(document("ahead", before), shown)));
	}

	private static BsonDocument exists(String field, boolean exists) {
		return document(field, document("$exists", BsonBoolean.valueOf(exists)));
	}

	private BsonDocument pull(String array, BsonDocument entry) {
		return document("$pull", document(this.path + array, entry));
	}

	private static String firstBeyond(String prefix) {
		// The server compares the UTF-8 bytes, which sort like the code points
		if (prefix.isEmpty()) {
			return "";
		}
		int last = prefix.codePointBefore(prefix.length());
		String start = prefix.substring(0, prefix.length() - Character.charCount(last));
		if (last == Character.MAX_CODE_POINT) {
			return firstBeyond(start);
		}
		int following = (last + 1 == Character.MIN_SURROGATE) ? Character.MAX_SURROGATE + 1 : last + 1;
		return start + Character.toString(following);
	}

}
