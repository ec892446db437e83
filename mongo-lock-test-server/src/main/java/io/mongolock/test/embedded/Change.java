package io.mongolock.test.embedded;

import de.bwaldvogel.mongo.bson.Document;
import org.jspecify.annotations.Nullable;

/**
 * One change of a collection.
 *
 * @param kind what was done
 * @param database the database
 * @param collection the collection's name
 * @param before the document before, {@code null} if there was none or it does not matter
 * @param after the document after, {@code null} if there is none
 * @param operators the update operators that did it, {@code null} if it was another
 * statement
 */
record Change(Kind kind, String database, String collection, @Nullable Document before, @Nullable Document after,
		@Nullable Document operators) {

	/**
	 * The same change with copies of the documents, whose fields may change further; what
	 * is inside them is never changed in place.
	 */
	Change copy() {
		return new Change(this.kind, this.database, this.collection, copy(this.before), copy(this.after),
				this.operators);
	}

	private static @Nullable Document copy(@Nullable Document document) {
		return (document != null) ? document.clone() : null;
	}

	/**
	 * What can be done to a collection.
	 */
	enum Kind {

		/** A document is new, by insert or by upsert. */
		INSERT,

		/** Changed by update operators. */
		UPDATE,

		/** Replaced by another document. */
		REPLACE,

		/** Changed by the stages of a pipeline. */
		PIPELINE,

		/** A document is gone. */
		DELETE,

		/** The collection is gone. */
		DROP,

		/** No change stream on the collection goes on from here. */
		INVALIDATE

	}

}
