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
 * @param transaction session and number of the transaction, {@code null} for none
 */
record Change(Kind kind, String database, String collection, @Nullable Document before, @Nullable Document after,
		@Nullable Document operators, @Nullable Document transaction) {

	Change(Kind kind, String database, String collection, @Nullable Document before, @Nullable Document after,
			@Nullable Document operators) {
		this(kind, database, collection, before, after, operators, null);
	}

	/**
	 * The same change with copies of the documents. Fields of the documents may change
	 * further, but their values are never changed in place.
	 */
	Change copy() {
		return new Change(this.kind, this.database, this.collection, copy(this.before), copy(this.after),
				this.operators, this.transaction);
	}

	/**
	 * The same change, made by a transaction.
	 * @param transaction its session and number
	 */
	Change of(Document transaction) {
		return new Change(this.kind, this.database, this.collection, this.before, this.after, this.operators,
				transaction);
	}

	/**
	 * The change of a document that undoes this one.
	 */
	Change undone() {
		return new Change(Kind.REPLACE, this.database, this.collection, this.after, this.before, null);
	}

	String namespace() {
		return this.database + "." + this.collection;
	}

	boolean isOf(String database, String collection) {
		return this.database.equals(database) && this.collection.equals(collection);
	}

	private static @Nullable Document copy(@Nullable Document document) {
		return (document != null) ? document.clone() : null;
	}

	/**
	 * The kinds of changes of a collection.
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

		/** All change streams on the collection end here. */
		INVALIDATE

	}

}
