package io.mongolock.store.mongo;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;

import org.bson.BsonArray;
import org.bson.BsonBoolean;
import org.bson.BsonDateTime;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonString;
import org.bson.BsonType;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

import io.mongolock.LockOwner;
import io.mongolock.LockStoreException;
import io.mongolock.LockStoreException.Outcome;
import io.mongolock.ReleaseRequest;
import io.mongolock.store.Claim;
import io.mongolock.store.GrantId;
import io.mongolock.store.HiddenPlaces;
import io.mongolock.store.StoredHolder;
import io.mongolock.store.StoredLock;
import io.mongolock.store.StoredWaiter;

/**
 * Reads a lock from the server's answer. Strict with fields that decide, lenient with
 * fields that serve only diagnostics.
 *
 * @param document the answer
 */
record LockDocument(BsonDocument document) {

	/** The field of an answer with the server's time. */
	static final String NOW = "now";

	/** The field with the token of the holder that was recalled last. */
	static final String RECALLED = "recalled";

	/** The field of an answer with the part of the queue that it shows. */
	static final String SHOWN = "shown";

	/** The field of a waiting owner with the locks that it holds meanwhile. */
	private static final String HOLDS = "holds";

	/** The field with the time of the last claim or renewal, by the server's clock. */
	static final String TOUCHED_AT = "touchedAt";

	/**
	 * The lock.
	 * @throws UnreadableException if it is not a lock of ours
	 */
	StoredLock toLock(String key) {
		return new StoredLock(key, holders(), queue(), previous(), fence(), now(), recalled(), hidden());
	}

	/**
	 * Read the document as the answer to a request that changed nothing.
	 * @param collection where it is
	 * @throws LockStoreException if it is not a lock of ours
	 */
	<T> T read(StoreRequest request, String collection, Function<LockDocument, T> reading) {
		try {
			return reading.apply(this);
		}
		catch (UnreadableException ex) {
			throw StoreFailures.unreadable(request, Outcome.REFUSED, collection, ex);
		}
	}

	/**
	 * The lock after a claim.
	 * @param inDoubt whether an earlier request may still be executed
	 * @param collection where it is
	 * @throws LockStoreException if it is not a lock of ours
	 */
	StoredLock toLock(StoreRequest request, Claim claim, boolean inDoubt, String collection) {
		try {
			return toLock(request.key());
		}
		catch (UnreadableException ex) {
			// Clean up an unreadable grant like one without an answer
			boolean unknown = inDoubt || mentions(claim.id().leaseToken());
			throw StoreFailures.unreadable(request, (unknown) ? Outcome.UNKNOWN : Outcome.REFUSED, collection, ex);
		}
	}

	/**
	 * Whether a token is among the holders, even if their format is unknown.
	 */
	boolean mentions(String token) {
		return this.document.get("holders") instanceof BsonArray holders && holders.stream()
			.anyMatch((holder) -> holder instanceof BsonDocument entry
					&& new BsonString(token).equals(entry.get("token")));
	}

	/**
	 * The server's time.
	 * @throws UnreadableException if the answer lacks it
	 */
	Instant now() {
		if (!this.document.containsKey(NOW)) {
			throw new UnreadableException(
					"the answer lacks the server's time, which MongoDB sends from 4.4 on. Use MongoDB 4.4 or later");
		}
		return date(this.document, NOW);
	}

	// Only tells how many fences a grant has set aside, and is missing before the first
	// grant
	private long fence() {
		return (this.document.containsKey("fence")) ? integer(this.document, "fence") : 0;
	}

	private @Nullable String recalled() {
		return (this.document.get(RECALLED) instanceof BsonString token) ? token.getValue() : null;
	}

	private List<StoredHolder> holders() {
		List<StoredHolder> holders = new ArrayList<>();
		for (BsonValue value : array(this.document, "holders")) {
			holders.add(holder(entry(value, "holders")));
		}
		return holders;
	}

	/**
	 * The queue, in the order of arrival.
	 * @throws UnreadableException if it does not have our format
	 */
	List<StoredWaiter> queue() {
		List<StoredWaiter> queue = new ArrayList<>();
		BsonDocument answer = (this.document.get(SHOWN) instanceof BsonDocument shown) ? shown : this.document;
		for (BsonValue value : (answer.containsKey("queue")) ? array(answer, "queue") : new BsonArray()) {
			BsonDocument waiter = entry(value, "queue");
			queue.add(new StoredWaiter(string(waiter, "token"), number(waiter, "limit"), owner(waiter),
					date(waiter, "renewedAt"), Duration.ofMillis(integer(waiter, "ttl")), holds(waiter)));
		}
		return queue;
	}

	/**
	 * The part of the queue that the answer leaves out.
	 * @throws UnreadableException if this part does not have our format
	 */
	HiddenPlaces hidden() {
		if (!(this.document.get(SHOWN) instanceof BsonDocument shown)) {
			return HiddenPlaces.NONE;
		}
		int ahead = Math.max(0, number(shown, "ahead") - HiddenPlaces.SHOWN);
		int limit = (shown.get("limit") instanceof BsonInt32 least) ? least.getValue() : Integer.MAX_VALUE;
		return new HiddenPlaces(ahead, limit, number(shown, "behind"));
	}

	private List<StoredHolder> previous() {
		// Broken content must not make a grant or a look fail
		List<StoredHolder> previous = new ArrayList<>();
		if (this.document.get("previous") instanceof BsonArray entries) {
			for (BsonValue value : entries) {
				try {
					previous.add(holder(entry(value, "previous")));
				}
				catch (UnreadableException ex) {
					continue;
				}
			}
		}
		return previous;
	}

	private static StoredHolder holder(BsonDocument holder) {
		refuseLaterFormat(holder);
		return new StoredHolder(string(holder, "token"), integer(holder, "fence"), number(holder, "limit"),
				owner(holder), date(holder, "acquiredAt"), date(holder, "renewedAt"),
				Duration.ofMillis(integer(holder, "ttl")), releaseRequest(holder),
				BsonBoolean.TRUE.equals(holder.get("kept")),
				Duration.ofMillis((holder.containsKey("linger")) ? integer(holder, "linger") : 0),
				text(holder, "note"));
	}

	// A lock in another format has a holder whose lease never ends and who admits no
	// other, so that no statement of ours grants it
	private static void refuseLaterFormat(BsonDocument holder) {
		if (holder.containsKey("format")) {
			throw new UnreadableException(
					"a later version of mongo-lock has written the document, in format " + integer(holder, "format")
							+ ", and this version knows only format 1. Update mongo-lock in this application");
		}
	}

	private static @Nullable ReleaseRequest releaseRequest(BsonDocument holder) {
		return (holder.get("releaseRequest") instanceof BsonDocument request
				&& request.get("at") instanceof BsonDateTime at)
						? new ReleaseRequest(text(request, "reason"), text(request, "by"),
								Instant.ofEpochMilli(at.getValue()))
						: null;
	}

	/**
	 * The stored form of an owner.
	 */
	static BsonDocument owner(LockOwner owner) {
		BsonDocument document = new BsonDocument("application", new BsonString(owner.application()))
			.append("instance", new BsonString(owner.instance()))
			.append("host", new BsonString(owner.host()))
			.append("pid", new BsonInt64(owner.pid()))
			.append("thread", new BsonString(owner.thread()));
		return (owner.as().isEmpty()) ? document : document.append("as", new BsonString(owner.as()));
	}

	private static LockOwner owner(BsonDocument entry) {
		BsonDocument owner = (entry.get("owner") instanceof BsonDocument document) ? document : new BsonDocument();
		BsonValue pid = owner.get("pid");
		return new LockOwner(text(owner, "application"), text(owner, "instance"), text(owner, "host"),
				(pid != null && pid.isNumber()) ? pid.asNumber().longValue() : 0, text(owner, "thread"),
				text(owner, "as"));
	}

	/**
	 * The stored form of a waiter: the owner, with the locks that it holds, if any.
	 */
	static BsonDocument waiter(Claim claim) {
		BsonDocument owner = owner(claim.owner());
		if (!claim.holds().isEmpty()) {
			owner.append(HOLDS,
					new BsonArray(claim.holds()
						.stream()
						.map((hold) -> new BsonDocument("key", new BsonString(hold.key())).append("fence",
								new BsonInt64(hold.fence())))
						.toList()));
		}
		return owner;
	}

	private static List<GrantId> holds(BsonDocument waiter) {
		List<GrantId> holds = new ArrayList<>();
		if (waiter.get("owner") instanceof BsonDocument owner && owner.get(HOLDS) instanceof BsonArray entries) {
			for (BsonValue entry : entries) {
				if (entry instanceof BsonDocument hold && hold.get("key") instanceof BsonString key
						&& hold.get("fence") instanceof BsonInt64 fence) {
					holds.add(new GrantId(key.getValue(), fence.getValue()));
				}
			}
		}
		return holds;
	}

	private static String text(BsonDocument owner, String name) {
		return (owner.get(name) instanceof BsonString text) ? text.getValue() : "";
	}

	private static BsonArray array(BsonDocument document, String name) {
		return (document.get(name) instanceof BsonArray array) ? array
				: UnreadableException.raise(document, name, "an array");
	}

	private BsonDocument entry(BsonValue value, String array) {
		return (value instanceof BsonDocument entry) ? entry
				: UnreadableException.raise(new BsonDocument(array, value), array, "an array of documents");
	}

	private static String string(BsonDocument document, String name) {
		return (document.get(name) instanceof BsonString string) ? string.getValue()
				: UnreadableException.raise(document, name, "a string");
	}

	private static long integer(BsonDocument document, String name) {
		BsonValue value = document.get(name);
		return (value != null && value.isNumber()) ? value.asNumber().longValue()
				: UnreadableException.raise(document, name, "a number");
	}

	private static int number(BsonDocument document, String name) {
		return Math.toIntExact(Math.min(Integer.MAX_VALUE, Math.max(0, integer(document, name))));
	}

	private static Instant date(BsonDocument document, String name) {
		BsonValue value = document.get(name);
		return (value != null && value.getBsonType() == BsonType.DATE_TIME)
				? Instant.ofEpochMilli(value.asDateTime().getValue())
				: UnreadableException.raise(document, name, "a date");
	}

	/**
	 * The document does not have the format of our locks.
	 */
	private static final class UnreadableException extends RuntimeException {

		UnreadableException(String message) {
			super(message);
		}

		static <T> T raise(BsonDocument document, String name, String expected) {
			BsonValue value = document.get(name);
			throw new UnreadableException("the document is not a lock of this library, because its field '" + name
					+ "' should be " + expected + ", but is "
					+ ((value != null) ? value.getBsonType().name().toLowerCase(Locale.ROOT) : "missing")
					+ ". Give the locks a collection or a key prefix of their own, or remove the document");
		}

	}

}
