package io.mongolock.test.embedded;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

import de.bwaldvogel.mongo.bson.Document;
import org.jspecify.annotations.Nullable;

/**
 * An update given as an array of stages. Immutable.
 */
final class UpdatePipeline {

	private static final Set<String> ALLOWED = Set.of("$set", "$addFields", "$unset", "$replaceWith", "$replaceRoot");

	/**
	 * Stages that a server knows but does not accept in an update. An unknown stage is
	 * another error, which fails the whole command.
	 */
	private static final Set<String> KNOWN = Set.of("$bucket", "$bucketAuto", "$changeStream", "$collStats", "$count",
			"$currentOp", "$facet", "$geoNear", "$graphLookup", "$group", "$indexStats", "$limit", "$listLocalSessions",
			"$listSessions", "$lookup", "$match", "$merge", "$out", "$planCacheStats", "$project", "$redact", "$sample",
			"$skip", "$sort", "$sortByCount", "$unionWith", "$unwind");

	private final List<Stage> stages;

	private UpdatePipeline(List<Stage> stages) {
		this.stages = stages;
	}

	/**
	 * Refuse a pipeline with a stage that no server knows.
	 * @param source the array of stages
	 */
	static void checkStageNames(List<?> source) {
		for (Object stage : source) {
			String name = stageName(stage);
			if (!ALLOWED.contains(name) && !KNOWN.contains(name)) {
				throw ServerErrors.location(40324, "Unrecognized pipeline stage name: '" + name + "'");
			}
		}
	}

	/**
	 * Parse a pipeline.
	 * @param source the array of stages
	 * @return the pipeline
	 * @throws de.bwaldvogel.mongo.exception.MongoServerError if a real server would
	 * refuse it before it looks at any document
	 */
	static UpdatePipeline parse(List<?> source) {
		checkStageNames(source);
		List<Stage> stages = new ArrayList<>(source.size());
		for (Object stage : source) {
			String name = stageName(stage);
			stages.add(parse(name, ((Document) stage).get(name)));
		}
		return new UpdatePipeline(stages);
	}

	private static String stageName(@Nullable Object stage) {
		if (!(stage instanceof Document document)) {
			throw ServerErrors.typeMismatch("Each element of the 'pipeline' array must be an object");
		}
		if (document.size() != 1) {
			throw ServerErrors.location(40323, "A pipeline stage specification object must contain exactly one field.");
		}
		return document.keySet().iterator().next();
	}

	private static Stage parse(String name, @Nullable Object argument) {
		return switch (name) {
			case "$set", "$addFields" -> setStage(name, argument);
			case "$unset" -> FieldRemoval.parse(argument)::applyTo;
			case "$replaceWith" -> replaceStage(argument);
			case "$replaceRoot" -> replaceStage(newRoot(argument));
			default -> throw ServerErrors.invalidOptions(name + " is not allowed to be used within an update"
					+ (name.equals("$project") ? " of the embedded server; use $unset or $replaceWith" : ""));
		};
	}

	private static Stage setStage(String name, @Nullable Object argument) {
		if (!(argument instanceof Document fields)) {
			throw ServerErrors.location(40272,
					name + " specification stage must be an object, got " + ValueType.of(argument).alias());
		}
		FieldAssignments assignments = FieldAssignments.parse(fields);
		return (document, variables) -> assignments.applyTo(document, variables);
	}

	private static @Nullable Object newRoot(@Nullable Object argument) {
		if (argument instanceof Document document && document.containsKey("newRoot")) {
			return document.get("newRoot");
		}
		throw ServerErrors.location(40231, "no newRoot specified for the $replaceRoot stage");
	}

	private static Stage replaceStage(@Nullable Object argument) {
		Expression expression = new ExpressionParser().parse(argument);
		return (document, variables) -> {
			Object value = expression.evaluate(variables);
			if (value instanceof Document replacement) {
				return replacement;
			}
			throw ServerErrors.location(40228,
					"'newRoot' expression must evaluate to an object, but resulting value was of type "
							+ ValueType.of(value).alias());
		};
	}

	/**
	 * Compute the new version of a document.
	 * @param document the present document, which is not changed
	 * @param time the time of the statement
	 * @return the new document, with the {@code _id} of the old one
	 * @throws de.bwaldvogel.mongo.exception.MongoServerError if an expression fails or
	 * the result must not be stored
	 */
	Document apply(Document document, StatementTime time) {
		Document result = document;
		for (Stage stage : this.stages) {
			result = stage.apply(result, new Variables(result, time));
		}
		return StoredDocuments.checked(document, result);
	}

	/**
	 * One stage, which turns a document into another.
	 */
	private interface Stage {

		Document apply(Document document, Variables variables);

	}

}
