package io.mongolock.test.embedded;

import de.bwaldvogel.mongo.bson.Document;
import org.jspecify.annotations.Nullable;

/**
 * The effect of a statement. The documents are copies.
 *
 * @param matched how many documents the filter found
 * @param modified how many of them are different now
 * @param upserted whether a document was inserted
 * @param before the last document found, as it was before
 * @param after the last document found, or the inserted one, as it is now
 */
record Outcome(int matched, int modified, boolean upserted, @Nullable Document before, @Nullable Document after) {

	static final Outcome NOTHING = new Outcome(0, 0, false, null, null);

	static Outcome inserted(Document document) {
		return new Outcome(0, 0, true, null, document);
	}

	@Nullable Object upsertedId() {
		return (this.upserted && this.after != null) ? this.after.get("_id") : null;
	}

}
