package io.mongolock.annotation;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.format.datetime.standard.DurationFormatterUtils;
import org.springframework.util.StringUtils;
import org.springframework.util.StringValueResolver;

import io.mongolock.LockMode;
import io.mongolock.LockRequest;
import io.mongolock.LockSettings;
import io.mongolock.OnLost;
import io.mongolock.OnUnavailable;
import io.mongolock.core.DurationPrinter;
import io.mongolock.interceptor.InvalidLockMethodException;
import io.mongolock.interceptor.LockOperation;

/**
 * Reads the {@link DistributedLock @DistributedLock} annotations of a method.
 */
class DistributedLockParser {

	/** Finds a variable, a template, or a bean. */
	private static final Pattern EXPRESSION = Pattern.compile("#\\{|#[a-zA-Z_]|^@[a-zA-Z_]");

	private final StringValueResolver placeholders;

	private final String unavailableHandler;

	DistributedLockParser(StringValueResolver placeholders, String unavailableHandler) {
		this.placeholders = placeholders;
		this.unavailableHandler = unavailableHandler;
	}

	List<LockOperation> parse(List<MergedAnnotation<DistributedLock>> annotations, Method method,
			Class<?> targetClass) {
		if (annotations.size() == 1) {
			// The usual case needs no comparison, because a start spends milliseconds
			// on the first one
			return List.of(parse(annotations.get(0), method, targetClass));
		}
		List<LockOperation> operations = annotations.stream()
			.map((annotation) -> parse(annotation, method, targetClass))
			.distinct()
			.toList();
		for (int i = 1; i < operations.size(); i++) {
			checkTogether(operations.get(0), operations.get(i), targetClass);
			checkDifferent(operations.subList(0, i), operations.get(i), targetClass);
		}
		return operations;
	}

	private static void checkDifferent(List<LockOperation> others, LockOperation operation, Class<?> targetClass) {
		if (others.stream()
			.anyMatch((other) -> Objects.equals(other.name(), operation.name())
					&& Objects.equals(other.key(), operation.key())
					&& Objects.equals(other.condition(), operation.condition()))) {
			throw new InvalidLockMethodException(operation.method(), targetClass,
					"has two annotations with " + describe("name", operation.name()) + " and "
							+ describe("key", operation.key()) + ", but with different settings",
					"Keep one of these annotations, or give them different names.");
		}
	}

	private static String describe(String attribute, @Nullable String text) {
		return (text != null) ? "the same " + attribute + " '" + text + "'" : "no " + attribute;
	}

	// If a call does not get one of its locks, it can have only one answer
	private static void checkTogether(LockOperation first, LockOperation other, Class<?> targetClass) {
		if (!describeAnswer(other).equals(describeAnswer(first))) {
			throw new InvalidLockMethodException(first.method(), targetClass,
					"has several locks that disagree: one lock has " + describeAnswer(first) + " and another lock has "
							+ describeAnswer(other),
					"All locks of a method must agree on what happens if a lock is not free. Give this attribute the "
							+ "same value in all annotations of the method.");
		}
		if (first.document() != null || other.document() != null) {
			throw new InvalidLockMethodException(first.method(), targetClass,
					"has several locks, and one of them locks a document. A call takes its locks in a fixed order, but "
							+ "a document's lock has no place in this order, so two calls could wait for each other",
					"Keep the document's lock on this method. Take the other locks in a method of another bean, and "
							+ "let that method call this one.");
		}
	}

	private static String describeAnswer(LockOperation operation) {
		return (operation.fallback() != null) ? "fallback = \"" + operation.fallback().getName() + "\""
				: (operation.unavailableHandler() != null)
						? "unavailableHandler = \"" + operation.unavailableHandler() + "\""
						: "onUnavailable = " + operation.onUnavailable();
	}

	private LockOperation parse(MergedAnnotation<DistributedLock> annotation, Method method, Class<?> targetClass) {
		Attributes attributes = new Attributes(annotation, method, targetClass);
		String name = attributes.literal("name");
		String key = annotation.getString("key");
		Class<?> document = attributes.document(key);
		if (name == null && key.isBlank()) {
			throw attributes.invalid("has a lock with neither a name nor a key", "Give the lock a name, as in "
					+ "@DistributedLock(\"order\"), or a key, as in key = \"#id\", or both.", null);
		}
		LockSettings settings = LockSettings.builder()
			.ttl(attributes.duration("ttl"))
			.waitTimeout(attributes.duration("waitTimeout"))
			.retryInterval(attributes.duration("retryInterval"))
			.minHold(attributes.duration("minHold"))
			.autoRenew(attributes.flag("autoRenew"))
			.limit(attributes.limit())
			.build();
		String condition = annotation.getString("condition");
		attributes.checkOneAnswer();
		return new LockOperation(method, name, (key.isBlank()) ? null : key, (condition.isBlank()) ? null : condition,
				document, settings, annotation.getEnum("onUnavailable", OnUnavailable.class), attributes.fallback(),
				attributes.unavailableHandler(), annotation.getEnum("onLost", OnLost.class));
	}

	/** The attributes of one annotation, with placeholders replaced. */
	private final class Attributes {

		private final MergedAnnotation<DistributedLock> annotation;

		private final Method method;

		private final Class<?> targetClass;

		private Attributes(MergedAnnotation<DistributedLock> annotation, Method method, Class<?> targetClass) {
			this.annotation = annotation;
			this.method = method;
			this.targetClass = targetClass;
		}

		private @Nullable String text(String attribute) {
			String declared = this.annotation.getString(attribute);
			if (declared.isEmpty()) {
				return null;
			}
			String resolved = resolve(attribute, declared);
			if (!StringUtils.hasText(resolved)) {
				throw invalid("has the " + attribute + " '" + declared + "', which is blank",
						"Give the attribute a value, or remove the attribute.", null);
			}
			return resolved;
		}

		private @Nullable String literal(String attribute) {
			String declared = this.annotation.getString(attribute);
			if (EXPRESSION.matcher(declared).find()) {
				throw invalid(
						"has the " + attribute + " '" + declared
								+ "', which looks like SpEL, but this attribute takes only literal text",
						"Write the expression in the attribute 'key', for example key = \"#id\". The name is only for "
								+ "settings and metrics.",
						null);
			}
			return text(attribute);
		}

		private @Nullable String resolve(String attribute, String declared) {
			try {
				String resolved = DistributedLockParser.this.placeholders.resolveStringValue(declared);
				if (resolved == null || !resolved.contains("${")) {
					return resolved;
				}
			}
			catch (IllegalArgumentException ex) {
				throw unresolved(attribute, declared, ex);
			}
			// Some resolvers leave unknown placeholders as they are
			throw unresolved(attribute, declared, null);
		}

		private InvalidLockMethodException unresolved(String attribute, String declared, @Nullable Exception cause) {
			return invalid("has the " + attribute + " '" + declared + "', but no property fills its placeholder",
					"Set the property, or give the placeholder a default value, as in ${property:default}.", cause);
		}

		private @Nullable Duration duration(String attribute) {
			String text = text(attribute);
			if (text != null && DurationPrinter.lacksUnit(text)) {
				throw invalid("has the " + attribute + " '" + text + "' without a unit, which would mean " + text.trim()
						+ "ms", DurationPrinter.withUnit(text) + ".", null);
			}
			try {
				return (text != null) ? DurationFormatterUtils.detectAndParse(text) : null;
			}
			catch (IllegalArgumentException ex) {
				throw invalid("has the " + attribute + " '" + text + "', which is no duration",
						"Write a duration such as 30s, 500ms or PT30S.", ex);
			}
		}

		private @Nullable Boolean flag(String attribute) {
			String text = text(attribute);
			if (text == null || "true".equalsIgnoreCase(text) || "false".equalsIgnoreCase(text)) {
				return (text != null) ? Boolean.valueOf(text) : null;
			}
			throw invalid("has " + attribute + " '" + text + "', which is neither true nor false",
					"Write true or false. To use the configured value, remove the attribute.", null);
		}

		private @Nullable Class<?> document(String key) {
			Class<?> type = this.annotation.getClass("document");
			if (type == void.class) {
				return null;
			}
			if (key.isBlank()) {
				throw invalid("has document = " + type.getSimpleName() + ".class, but no key that names a document",
						"Write the id of the document in the attribute 'key', for example key = \"#id\".", null);
			}
			for (String attribute : List.of("limit", "minHold")) {
				String text = this.annotation.getString(attribute);
				if (!text.isEmpty()) {
					throw notInDocument(type, attribute + " = \"" + text + "\"");
				}
			}
			if (this.annotation.getEnum("mode", LockMode.class) == LockMode.SHARED) {
				throw notInDocument(type, "mode = SHARED");
			}
			return type;
		}

		private void checkOneAnswer() {
			List<String> answers = new ArrayList<>();
			for (String answer : new @Nullable String[] { (isSkipped()) ? "onUnavailable = SKIP" : null,
					declared("fallback"), declared("unavailableHandler") }) {
				if (answer != null) {
					answers.add(answer);
				}
			}
			if (answers.size() > 1) {
				throw invalid(
						"has " + String.join(" and ", answers)
								+ ", but only one of them can answer the caller if the lock is not free",
						"Keep one of these attributes, and remove the others.", null);
			}
		}

		private @Nullable String declared(String attribute) {
			String text = this.annotation.getString(attribute);
			return (text.isEmpty()) ? null : attribute + " = \"" + text + "\"";
		}

		private boolean isSkipped() {
			return this.annotation.getEnum("onUnavailable", OnUnavailable.class) == OnUnavailable.SKIP;
		}

		private @Nullable Method fallback() {
			String name = text("fallback");
			return (name != null) ? new FallbackMethods(this.method, this.targetClass).find(name) : null;
		}

		private @Nullable String unavailableHandler() {
			String name = text("unavailableHandler");
			boolean answered = name != null || isSkipped() || declared("fallback") != null;
			String forAll = DistributedLockParser.this.unavailableHandler;
			return (answered || forAll.isEmpty()) ? name : forAll;
		}

		private InvalidLockMethodException notInDocument(Class<?> type, String attribute) {
			return invalid(
					"has document = " + type.getSimpleName() + ".class and " + attribute
							+ ", but a document's lock always has one holder, and ends when the document is saved",
					"Remove one of these two attributes.", null);
		}

		private @Nullable Integer limit() {
			String text = text("limit");
			if (this.annotation.getEnum("mode", LockMode.class) != LockMode.SHARED) {
				return (text != null) ? limit(text.trim()) : null;
			}
			if (text == null) {
				return LockRequest.UNLIMITED;
			}
			throw invalid("has mode = SHARED and the limit '" + text + "', but a shared lock has no limit",
					"If you want a semaphore, keep only the limit. If you want the reading side of a read/write lock, "
							+ "keep only mode = SHARED.",
					null);
		}

		private Integer limit(String text) {
			try {
				int limit = Integer.parseInt(text);
				if (limit > 0 && limit < LockRequest.UNLIMITED) {
					return limit;
				}
			}
			catch (NumberFormatException ex) {
				throw invalid("has the limit '" + text + "', which is no whole number below " + LockRequest.UNLIMITED,
						"Write how many callers may hold the lock at the same time, for example limit = \"10\".", ex);
			}
			throw invalid(
					"has the limit '" + text + "', which is out of range", "Set a limit that is at least 1 and less "
							+ "than " + LockRequest.UNLIMITED + ". For any number of holders, set mode = SHARED.",
					null);
		}

		private InvalidLockMethodException invalid(String problem, String action, @Nullable Exception cause) {
			return new InvalidLockMethodException(this.method, this.targetClass, problem, action, cause);
		}

	}

}
