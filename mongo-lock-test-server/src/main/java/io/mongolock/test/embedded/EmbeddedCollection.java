package io.mongolock.test.embedded;

import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

import de.bwaldvogel.mongo.backend.ArrayFilters;
import de.bwaldvogel.mongo.backend.CollectionOptions;
import de.bwaldvogel.mongo.backend.CursorRegistry;
import de.bwaldvogel.mongo.backend.Index;
import de.bwaldvogel.mongo.backend.QueryParameters;
import de.bwaldvogel.mongo.backend.QueryResult;
import de.bwaldvogel.mongo.backend.memory.MemoryCollection;
import de.bwaldvogel.mongo.bson.Document;
import de.bwaldvogel.mongo.bson.ObjectId;
import de.bwaldvogel.mongo.exception.DuplicateKeyError;
import de.bwaldvogel.mongo.oplog.NoopOplog;
import org.jspecify.annotations.Nullable;

/**
 * A collection in memory. Its monitor, which the library takes, too, makes every
 * statement atomic. It only gives out copies, because the library changes stored
 * documents in place while another thread may still be writing an answer to its client.
 */
final class EmbeddedCollection extends MemoryCollection {

	private static final String ID = "_id";

	/** The filter that every written document has to match; empty if there is none. */
	private Document validator = new Document();

	EmbeddedCollection(EmbeddedDatabase database, String name, CollectionOptions options, CursorRegistry cursors) {
		super(database, name, options, cursors);
	}

	/**
	 * Find documents.
	 * @param filter the filter, its {@code $expr} bound
	 * @param query the command with {@code sort}, {@code skip}, {@code limit} and
	 * {@code batchSize}
	 * @param projection the fields to show
	 * @param time the time of the statement
	 * @return copies of the documents found
	 */
	synchronized QueryResult find(Document filter, Document query, Projection projection, StatementTime time) {
		List<Document> copies = stored(filter, (query.get("sort") instanceof Document sort) ? sort : null,
				number(query, "skip"), number(query, "limit"))
			.map((document) -> project(document, projection, time))
			.toList();
		return createQueryResult(copies, number(query, "batchSize"));
	}

	private static int number(Document query, String name) {
		return (query.get(name) instanceof Number number) ? Math.abs(number.intValue()) : 0;
	}

	Document project(Document document, Projection projection, StatementTime time) {
		Document fields = projection.fields();
		if (fields == null) {
			// Values are never changed in place, only fields of the document itself are
			return document.clone();
		}
		if (projection.isPlainExclusion()) {
			return projection.exclude(document);
		}
		Document result = projection.isPlainInclusion() ? projection.include(document)
				: matchDocumentsFromStream(new Document(), Stream.of(document.cloneDeeply()), 0, 0, 0, null, fields)
					.iterator()
					.next();
		projection.addComputed(result, new Variables(document, time));
		return result;
	}

	/**
	 * Update the documents that match, or insert one.
	 * @param statement the update
	 * @return the outcome, without the documents unless one was inserted
	 */
	synchronized Outcome update(UpdateStatement statement) {
		List<Document> matched = stored(statement.filter(), null, 0, statement.multi() ? 0 : 1).toList();
		if (matched.isEmpty()) {
			return statement.upsert() ? insert(statement) : Outcome.NOTHING;
		}
		int modified = 0;
		matched.forEach((document) -> checkFree(document, statement));
		for (Document document : matched) {
			modified += change(document, statement) ? 1 : 0;
		}
		return new Outcome(matched.size(), modified, false, null, null);
	}

	/**
	 * Update the first document that matches, or insert one.
	 * @param statement the update
	 * @param sort which one is first
	 * @return the outcome
	 */
	synchronized Outcome findAndModify(UpdateStatement statement, @Nullable Document sort) {
		Document stored = stored(statement.filter(), sort, 0, 1).findFirst().orElse(null);
		if (stored == null) {
			return statement.upsert() ? insert(statement) : Outcome.NOTHING;
		}
		checkFree(stored, statement);
		Document before = stored.clone();
		boolean modified = change(stored, statement);
		return new Outcome(1, modified ? 1 : 0, false, before, stored.clone());
	}

	synchronized Outcome findAndRemove(Document filter, @Nullable Document sort) {
		Document stored = stored(filter, sort, 0, 1).findFirst().orElse(null);
		if (stored == null) {
			return Outcome.NOTHING;
		}
		checkFree(Change.Kind.DELETE, stored, null);
		removeDocument(stored);
		return new Outcome(1, 0, false, stored, null);
	}

	/**
	 * Delete documents.
	 * @param filter the filter, its {@code $expr} bound
	 * @param limit how many at most, 0 for all
	 * @return how many were deleted
	 */
	synchronized int delete(Document filter, int limit) {
		List<Document> matched = stored(filter, null, 0, limit).toList();
		matched.forEach((document) -> checkFree(Change.Kind.DELETE, document, null));
		matched.forEach(this::removeDocument);
		return matched.size();
	}

	/**
	 * Insert the document of an upsert that has found none.
	 * @param statement the upsert
	 * @return the outcome
	 * @throws DuplicateKeyError if its {@code _id} exists by now
	 */
	synchronized Outcome insert(UpdateStatement statement) {
		Object id = statement.filter().get(ID);
		if (isSimple(id) && storedById(id).findAny().isPresent()) {
			throw new DuplicateKeyError(getFullName(), "_id_ dup key: { _id: " + id + " }");
		}
		UpdatePipeline pipeline = statement.pipeline();
		if (pipeline != null) {
			Document document = withId(pipeline.apply(UpsertSeed.of(statement.filter()), statement.time()));
			addDocument(document);
			return Outcome.inserted(document.clone());
		}
		Document result = updateDocuments(statement.filter(), statement.operators(), ArrayFilters.empty(), false, true,
				NoopOplog.get());
		Document inserted = stored(new Document(ID, new Document("$eq", result.get("upserted"))), null, 0, 1)
			.findFirst()
			.orElseThrow();
		return Outcome.inserted(inserted.clone());
	}

	private static Document withId(Document document) {
		if (document.containsKey(ID)) {
			return document;
		}
		Document result = new Document(ID, new ObjectId());
		result.putAll(document);
		return result;
	}

	// Writes that change nothing meet no transaction
	private void checkFree(Document stored, UpdateStatement statement) {
		if (database().hasTransactions()) {
			Document before = stored.clone();
			if (apply(stored, statement)) {
				Document after = stored.clone();
				replace(stored, before);
				checkFree(statement.kind(), before, after);
			}
		}
	}

	private void checkFree(Change.Kind kind, @Nullable Document before, @Nullable Document after) {
		EmbeddedDatabase database = database();
		if (database.hasTransactions() && !isOfSystem(getCollectionName())) {
			database.checkFree(new Change(kind, database.getDatabaseName(), getCollectionName(), before, after, null));
		}
	}

	private EmbeddedDatabase database() {
		return (EmbeddedDatabase) getDatabase();
	}

	static boolean isOfSystem(String name) {
		return name.startsWith("system.");
	}

	private boolean change(Document stored, UpdateStatement statement) {
		Document before = stored.clone();
		boolean changed = apply(stored, statement);
		if (changed) {
			if (!isValid(stored)) {
				stored.clear();
				stored.putAll(before);
				throw ServerErrors.documentValidationFailure();
			}
			changed(statement.kind(), before, stored, statement.operators());
		}
		return changed;
	}

	private boolean apply(Document stored, UpdateStatement statement) {
		UpdatePipeline pipeline = statement.pipeline();
		if (pipeline != null) {
			return replace(stored, pipeline.apply(stored, statement.time()));
		}
		Increments.check(stored, statement.operators());
		Document exactly = ExprFilter.without(statement.filter());
		exactly.put(ID, stored.get(ID));
		Document result = updateDocuments(exactly, statement.operators(), ArrayFilters.empty(), false, false,
				NoopOplog.get());
		return Integer.valueOf(1).equals(result.get("nModified"));
	}

	private boolean replace(Document stored, Document replacement) {
		if (replacement.equals(stored)) {
			return false;
		}
		for (Index<Integer> index : getIndexes()) {
			index.checkUpdate(stored, replacement, this);
		}
		for (Index<Integer> index : getIndexes()) {
			index.updateInPlace(stored, replacement, index.getPosition(stored), this);
		}
		Document copy = replacement.clone();
		stored.clear();
		stored.putAll(copy);
		return true;
	}

	/**
	 * Delete the documents that have expired by a TTL index on a field: their date, or
	 * the earliest of several dates, is not after the limit.
	 * @param field the field with the date
	 * @param limit the latest date to delete
	 * @return how many were deleted
	 */
	synchronized int expire(String field, Instant limit) {
		FieldPath path = FieldPath.parse(field);
		List<Document> expired = stored(new Document(), null, 0, 0)
			.filter((document) -> isExpired(path.evaluate(document), limit) && isFree(document))
			.toList();
		expired.forEach(this::removeDocument);
		return expired.size();
	}

	/**
	 * Repeat a change.
	 * @param change the change, made in a copy of this collection
	 */
	synchronized void redo(Change change) {
		Document before = change.before();
		Document after = change.after();
		Document stored = (before != null)
				? stored(new Document(ID, new Document("$eq", before.get(ID))), null, 0, 1).findFirst().orElseThrow()
				: null;
		if (stored != null && after != null) {
			replace(stored, after);
		}
		else if (after != null) {
			super.addDocument(after.clone());
		}
		else if (stored != null) {
			super.removeDocument(stored);
		}
		changed(change.kind(), before, after, change.operators());
	}

	/**
	 * Make another collection like this one, except for its indexes.
	 * @param copy the other collection, empty
	 */
	synchronized void copyTo(EmbeddedCollection copy) {
		stored(new Document(), null, 0, 0).map(Document::clone).forEach(copy::addDocument);
		copy.validator = this.validator;
	}

	CollectionOptions options() {
		return this.options;
	}

	/**
	 * The other documents that already have a value of a unique index that a change gives
	 * its document.
	 * @param change the change
	 * @return the {@code _id} of each other document
	 */
	synchronized Stream<Object> sharing(Change change) {
		Document after = change.after();
		if (after == null) {
			return Stream.empty();
		}
		return getIndexes().stream()
			.filter((index) -> index.isUnique() && !index.getName().equals("_id_"))
			.map((index) -> index.getPosition(after))
			.filter(Objects::nonNull)
			.map((position) -> getDocument(position).get(ID))
			.filter((id) -> !Values.areEqual(id, after.get(ID)))
			.toList()
			.stream();
	}

	private boolean isFree(Document document) {
		try {
			checkFree(Change.Kind.DELETE, document, null);
			return true;
		}
		catch (AwaitsTransaction ex) {
			return false;
		}
	}

	private static boolean isExpired(@Nullable Object value, Instant limit) {
		if (value instanceof List<?> list) {
			return list.stream().anyMatch((element) -> isExpired(element, limit));
		}
		return value instanceof Instant date && !date.isAfter(limit);
	}

	private Stream<Document> stored(Document filter, @Nullable Document sort, int skip, int limit) {
		if (sort == null || sort.containsKey("$natural")) {
			return queryDocuments(filter, sort, skip, limit, 0, null).collectDocuments().stream();
		}
		Stream<Document> sorted = queryDocuments(filter, null, 0, 0, 0, null).collectDocuments()
			.stream()
			.sorted(DocumentOrder.of(sort))
			.skip(skip);
		return (limit > 0) ? sorted.limit(limit) : sorted;
	}

	/**
	 * Refuse from now on to write documents that do not match.
	 * @param validator the filter that they have to match, empty for none
	 */
	synchronized void validateBy(Document validator) {
		this.validator = validator;
	}

	private boolean isValid(Document document) {
		return this.validator.isEmpty() || documentMatchesQuery(document, this.validator);
	}

	@Override
	public synchronized void addDocument(Document document) {
		if (!isValid(document)) {
			throw ServerErrors.documentValidationFailure();
		}
		checkFree(Change.Kind.INSERT, null, document);
		super.addDocument(document);
		changed(Change.Kind.INSERT, null, document, null);
	}

	@Override
	public synchronized void removeDocument(Document document) {
		super.removeDocument(document);
		changed(Change.Kind.DELETE, document, null, null);
	}

	// Synchronized, because writes go through all indexes
	@Override
	public synchronized void addIndex(Index<Integer> index) {
		super.addIndex(index);
	}

	@Override
	public synchronized void dropIndex(String indexName) {
		super.dropIndex(indexName);
	}

	/**
	 * A document as it is now.
	 * @param id its {@code _id}
	 * @return a copy, {@code null} if there is none
	 */
	synchronized @Nullable Document current(@Nullable Object id) {
		return stored(new Document("_id", id), null, 0, 1).findFirst().map(Document::clone).orElse(null);
	}

	/**
	 * Note that the collection is gone.
	 */
	void dropped() {
		changed(Change.Kind.DROP, null, null, null);
		changed(Change.Kind.INVALIDATE, null, null, null);
	}

	private void changed(Change.Kind kind, @Nullable Document before, @Nullable Document after,
			@Nullable Document operators) {
		if (!isOfSystem(getCollectionName())) {
			EmbeddedDatabase database = database();
			database
				.changed(new Change(kind, database.getDatabaseName(), getCollectionName(), before, after, operators));
		}
	}

	@Override
	protected QueryResult queryDocuments(Document query, @Nullable Document orderBy, int numberToSkip, int limit,
			int batchSize, @Nullable Document fieldSelector) {
		// The library uses the index only for a filter on nothing but the _id
		if (query.size() > 1 && isSimple(query.get(ID))) {
			return matchDocumentsFromStream(storedById(query.get(ID)), query, orderBy, numberToSkip, limit, batchSize,
					fieldSelector);
		}
		return super.queryDocuments(query, orderBy, numberToSkip, limit, batchSize, fieldSelector);
	}

	private Stream<Document> storedById(@Nullable Object id) {
		return getIndexes().stream()
			.filter((index) -> index.getName().equals("_id_"))
			.flatMap((index) -> StreamSupport.stream(index.getPositions(new Document(ID, id)).spliterator(), false))
			.map(this::getDocument);
	}

	private static boolean isSimple(@Nullable Object id) {
		return switch (ValueType.of(id)) {
			case STRING, INT, LONG, DOUBLE, OBJECT_ID, BINARY, DATE, BOOL -> true;
			default -> false;
		};
	}

	@Override
	protected boolean documentMatchesQuery(Document document, Document query) {
		ExprFilter expr = ExprFilter.in(query);
		if (expr == null) {
			return super.documentMatchesQuery(document, query);
		}
		return super.documentMatchesQuery(document, ExprFilter.without(query)) && expr.matches(document);
	}

	@Override
	public synchronized QueryResult handleQuery(QueryParameters queryParameters) {
		// Copies, because aggregations read through here outside the monitor
		QueryResult stored = super.handleQuery(queryParameters);
		return new QueryResult(stored.collectDocuments().stream().map(Document::cloneDeeply).toList(),
				stored.getCursorId());
	}

}
