package io.mongolock.test.embedded;

import java.util.List;

import de.bwaldvogel.mongo.backend.Utils;
import de.bwaldvogel.mongo.bson.Document;
import org.jspecify.annotations.Nullable;

/**
 * One update, parsed and bound to the time at which it runs.
 *
 * @param filter the filter for the documents
 * @param pipeline the change as stages, {@code null} if it is given by operators
 * @param operators the change by operators or as a replacement, {@code null} if it is
 * given as stages
 * @param multi whether all documents that match are changed
 * @param upsert whether a document is inserted if none matches
 * @param time the time of the statement
 */
record UpdateStatement(Document filter, @Nullable UpdatePipeline pipeline, @Nullable Document operators, boolean multi,
		boolean upsert, StatementTime time) {

	/**
	 * Parse a statement.
	 * @param filter the filter as sent
	 * @param change the update as sent: a document or an array
	 * @param options the document with the options {@code multi}, {@code upsert} and
	 * {@code arrayFilters}
	 * @param time the time of the statement
	 * @param clock the server's clock, for timestamps
	 */
	static UpdateStatement parse(Document filter, @Nullable Object change, Document options, StatementTime time,
			ServerClock clock) {
		boolean multi = Utils.isTrue(options.get("multi"));
		boolean upsert = Utils.isTrue(options.get("upsert"));
		if (upsert && ExprFilter.isIn(filter)) {
			throw ServerErrors.queryFeatureNotAllowed("$expr is not allowed in the query predicate for an upsert");
		}
		if (options.get("arrayFilters") instanceof List<?> filters && !filters.isEmpty()) {
			throw ServerErrors
				.failedToParse("The embedded server knows no arrayFilters; use a pipeline with $map, or a real server");
		}
		Document bound = ExprFilter.bind(filter, time);
		if (change instanceof List<?> stages) {
			return new UpdateStatement(bound, UpdatePipeline.parse(stages), null, multi, upsert, time);
		}
		if (!(change instanceof Document operators)) {
			throw ServerErrors.failedToParse("Update argument must be either an object or an array");
		}
		if (multi && operators.keySet().stream().noneMatch((name) -> name.startsWith("$"))) {
			throw ServerErrors.failedToParse("multi update is not supported for replacement-style update");
		}
		return new UpdateStatement(bound, null, CurrentDate.resolve(operators, time.now(), clock), multi, upsert, time);
	}

	/**
	 * The kind of the change in the log.
	 */
	Change.Kind kind() {
		if (this.operators == null) {
			return Change.Kind.PIPELINE;
		}
		boolean named = this.operators.keySet().stream().anyMatch((name) -> name.startsWith("$"));
		return named ? Change.Kind.UPDATE : Change.Kind.REPLACE;
	}

	UpdateStatement withoutUpsert() {
		return new UpdateStatement(this.filter, this.pipeline, this.operators, this.multi, false, this.time);
	}

}
