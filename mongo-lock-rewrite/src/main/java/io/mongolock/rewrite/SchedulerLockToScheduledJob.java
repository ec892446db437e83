package io.mongolock.rewrite;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;
import org.openrewrite.Cursor;
import org.openrewrite.ExecutionContext;
import org.openrewrite.Recipe;
import org.openrewrite.ScanningRecipe;
import org.openrewrite.TreeVisitor;
import org.openrewrite.internal.ListUtils;
import org.openrewrite.java.AnnotationMatcher;
import org.openrewrite.java.JavaIsoVisitor;
import org.openrewrite.java.JavaParser;
import org.openrewrite.java.JavaTemplate;
import org.openrewrite.java.tree.Expression;
import org.openrewrite.java.tree.J;
import org.openrewrite.java.tree.JavaType;
import org.openrewrite.java.tree.TypeTree;
import org.openrewrite.marker.SearchResult;
import org.openrewrite.maven.AddDependency;

/**
 * Turns {@code @Scheduled} with {@code @SchedulerLock} of ShedLock into
 * {@code @ScheduledJob}. The times of the lock are left out: its lease is renewed, and a
 * tick runs once whatever the clocks. What cannot be turned stays as it is, with a
 * comment that says why.
 */
public class SchedulerLockToScheduledJob extends ScanningRecipe<AtomicBoolean> {

	private static final String SCHEDULER_LOCK = "net.javacrumbs.shedlock.spring.annotation.SchedulerLock";

	private static final String SCHEDULED = "org.springframework.scheduling.annotation.Scheduled";

	private static final String ASYNC = "org.springframework.scheduling.annotation.Async";

	private static final String SCHEDULED_JOB = "io.mongolock.jobs.ScheduledJob";

	private static final AnnotationMatcher LOCK = ShedLockVisitor.LOCK;

	private static final int MAX_NAME = 100;

	/** Results whose end a job waits for; nothing else may be returned. */
	private static final Set<String> LATER = Set.of("java.util.concurrent.CompletionStage",
			"java.util.concurrent.CompletableFuture", "reactor.core.publisher.Mono", "reactor.core.publisher.Flux",
			"org.reactivestreams.Publisher");

	private static final Map<String, String> UNITS = Map.of("MILLISECONDS", "ms", "SECONDS", "s", "MINUTES", "m",
			"HOURS", "h", "DAYS", "d");

	private static final Pattern DURATION = Pattern.compile("\\+?(\\d+(ms|s|m|h|d)|P.*)", Pattern.CASE_INSENSITIVE);

	// What the new source knows of it; the application need not have it yet
	private static final String STUB = """
			package io.mongolock.jobs;
			public @interface ScheduledJob {
				String name();
				String cron() default "";
				String zone() default "";
				String fixedRate() default "";
				String fixedDelay() default "";
			}
			""";

	@Override
	public String getDisplayName() {
		return "Turn `@Scheduled` with `@SchedulerLock` of ShedLock into `@ScheduledJob`";
	}

	@Override
	public String getDescription() {
		return "A job runs once at each due time on the MongoDB server's clock. If an instance dies during a run, the "
				+ "job runs again. This recipe adds mongo-lock-starter and mongo-lock-jobs to Maven modules. If a "
				+ "schedule has an initial delay, a scheduler or expressions, the recipe only adds a comment.";
	}

	/**
	 * Modules of Maven whose sources have the annotation get the modules that they need,
	 * unless they have them.
	 */
	@Override
	public List<Recipe> getRecipeList() {
		return List.of(dependency("mongo-lock-starter"), dependency("mongo-lock-jobs"));
	}

	private static Recipe dependency(String module) {
		return new AddDependency("io.mongolock", module, SchedulerLockToDistributedLock.version(), null, null, null,
				SCHEDULER_LOCK, null, null, null, null, true);
	}

	/**
	 * Whether a type of the application is called as the new annotation.
	 */
	@Override
	public AtomicBoolean getInitialValue(ExecutionContext context) {
		return new AtomicBoolean();
	}

	@Override
	public TreeVisitor<?, ExecutionContext> getScanner(AtomicBoolean namesake) {
		return new JavaIsoVisitor<>() {

			@Override
			public J.ClassDeclaration visitClassDeclaration(J.ClassDeclaration type, ExecutionContext context) {
				if (isNamesake(type.getType())) {
					namesake.set(true);
				}
				return super.visitClassDeclaration(type, context);
			}

		};
	}

	@Override
	public TreeVisitor<?, ExecutionContext> getVisitor(AtomicBoolean namesake) {
		return new ShedLockVisitor() {

			@Override
			boolean isTurned(J.Annotation lock, J.MethodDeclaration method) {
				try {
					turned(lock, method);
					return true;
				}
				catch (UnmappedException ex) {
					return false;
				}
			}

			@Override
			public J.MethodDeclaration visitMethodDeclaration(J.MethodDeclaration method, ExecutionContext context) {
				J.MethodDeclaration after = super.visitMethodDeclaration(method, context);
				if (method.getLeadingAnnotations().stream().noneMatch(LOCK::matches)
						|| after.getLeadingAnnotations().stream().anyMatch(LOCK::matches)) {
					return after;
				}
				maybeRemoveImport(SCHEDULED);
				maybeRemoveImport("java.util.concurrent.TimeUnit");
				return after.withLeadingAnnotations(withoutSchedule(after.getLeadingAnnotations()));
			}

			@Override
			public J.Annotation visitAnnotation(J.Annotation annotation, ExecutionContext context) {
				if (!LOCK.matches(annotation)) {
					return super.visitAnnotation(annotation, context);
				}
				try {
					String turned = turned(annotation, getCursor().getParentTreeCursor().getValue());
					maybeRemoveImport(SCHEDULER_LOCK);
					J.CompilationUnit source = getCursor().firstEnclosingOrThrow(J.CompilationUnit.class);
					boolean qualified = namesake.get()
							|| source.getImports().stream().anyMatch((one) -> isNamesake(one.getTypeName()))
							|| source.getTypesInUse()
								.getTypesInUse()
								.stream()
								.anyMatch(SchedulerLockToScheduledJob::isNamesake);
					if (!qualified) {
						maybeAddImport(SCHEDULED_JOB);
					}
					return commented(
							apply((qualified) ? SCHEDULED_JOB : "ScheduledJob", turned, annotation, getCursor()),
							new Attributes(annotation).value("lockAtLeastFor"));
				}
				catch (UnmappedException ex) {
					return SearchResult.found(annotation, ex.getMessage());
				}
			}

		};
	}

	private static boolean isNamesake(@Nullable JavaType type) {
		return type instanceof JavaType.FullyQualified qualified && isNamesake(qualified.getFullyQualifiedName());
	}

	private static boolean isNamesake(String type) {
		return type.matches("(.*[.$])?ScheduledJob") && !type.equals(SCHEDULED_JOB);
	}

	private static J.Annotation apply(String type, String attributes, J.Annotation annotation, Cursor cursor) {
		return JavaTemplate.builder("@" + type + attributes)
			.imports(SCHEDULED_JOB)
			.javaParser(JavaParser.fromJavaVersion().dependsOn(STUB))
			.build()
			.apply(cursor, annotation.getCoordinates().replace());
	}

	private static J.Annotation commented(J.Annotation job, @Nullable Expression lockAtLeastFor) {
		return (lockAtLeastFor != null) ? SearchResult.found(job,
				"lockAtLeastFor is left out, because a job runs once at each due time even if clocks differ. If "
						+ "you used lockAtLeastFor to space out runs, make the schedule less frequent")
				: job;
	}

	// The first one stands where the first one stood, and no comment is lost
	private static List<J.Annotation> withoutSchedule(List<J.Annotation> annotations) {
		List<J.Annotation> left = new ArrayList<>(annotations);
		J.Annotation schedule = left.stream().filter((one) -> is(one, SCHEDULED)).findFirst().orElseThrow();
		int at = left.indexOf(schedule);
		left.remove(at);
		int next = Math.min(at, left.size() - 1);
		left.set(next,
				left.get(next)
					.withPrefix(((at == 0) ? schedule : left.get(next)).getPrefix()
						.withComments(ListUtils.concatAll(schedule.getPrefix().getComments(),
								left.get(next).getPrefix().getComments()))));
		return left;
	}

	private static boolean is(J.Annotation annotation, String type) {
		return new AnnotationMatcher("@" + type).matches(annotation);
	}

	private static String turned(J.Annotation lock, Object annotated) {
		if (!(annotated instanceof J.MethodDeclaration method)) {
			throw new UnmappedException(
					"a job is one method. Move this annotation to the method, or write @ScheduledJob by hand");
		}
		List<J.Annotation> schedules = method.getLeadingAnnotations()
			.stream()
			.filter((one) -> is(one, SCHEDULED))
			.toList();
		if (schedules.size() != 1) {
			throw new UnmappedException("a job has one @Scheduled, but this method has " + schedules.size()
					+ ". Write @ScheduledJob by hand, or pass each due time to Jobs.run");
		}
		if (method.getLeadingAnnotations().stream().anyMatch((one) -> is(one, ASYNC))) {
			throw new UnmappedException("a job needs no @Async, because each run has its own thread. Remove @Async");
		}
		TypeTree result = method.getReturnTypeExpression();
		JavaType type = (result != null) ? result.getType() : null;
		if (type != JavaType.Primitive.Void
				&& !(type instanceof JavaType.FullyQualified later && LATER.contains(later.getFullyQualifiedName()))) {
			throw new UnmappedException(
					"a job must return void, a CompletionStage or a reactive type. Change the return type");
		}
		return "(name = " + Literals.quoted(name(new Attributes(lock))) + ", "
				+ schedule(new Attributes(schedules.get(0))) + ")";
	}

	private static String name(Attributes lock) {
		String name = lock.text("name");
		if (name == null || name.isBlank() || name.length() > MAX_NAME || name.contains("#{")) {
			throw new UnmappedException(
					"a job has a name of 1 to " + MAX_NAME + " characters, without expressions. Choose such a name");
		}
		return name;
	}

	private static String schedule(Attributes schedule) {
		for (String none : List.of("initialDelay", "initialDelayString", "scheduler")) {
			if (schedule.value(none) != null) {
				throw new UnmappedException(
						"a job has no " + none + ". Remove this attribute. The first run is due at the cron's next "
								+ "time. Without a cron, it is due when the first instance starts. Each run has its "
								+ "own thread");
			}
		}
		String cron = schedule.text("cron");
		if (cron != null) {
			String zone = schedule.text("zone");
			return attribute("cron", cron) + ((zone != null) ? ", " + attribute("zone", zone) : "");
		}
		for (String period : List.of("fixedRate", "fixedDelay")) {
			Expression number = schedule.value(period);
			String text = schedule.text(period + "String");
			if (number != null || text != null) {
				return attribute(period, duration(period, number, text, schedule.value("timeUnit")));
			}
		}
		throw new UnmappedException("@Scheduled has no cron, fixedRate or fixedDelay. Set one of them");
	}

	private static String attribute(String attribute, String value) {
		if (value.contains("#{")) {
			throw new UnmappedException(attribute + " is an expression. Write its value, or a placeholder");
		}
		return attribute + " = " + Literals.quoted(value);
	}

	private static String duration(String period, @Nullable Expression number, @Nullable String text,
			@Nullable Expression timeUnit) {
		String unit = (timeUnit != null) ? UNITS.get(timeUnit.toString().replaceFirst(".*\\.", "")) : "ms";
		Object value = (number instanceof J.Literal literal) ? literal.getValue() : text;
		if (value instanceof Number || value instanceof String digits && digits.matches("\\d+")) {
			if (unit != null) {
				return value + unit;
			}
		}
		// The value of a placeholder is not known: without a unit, milliseconds to both
		else if (value instanceof String other
				&& (DURATION.matcher(other).matches() || "ms".equals(unit) && other.contains("${"))) {
			return other;
		}
		throw new UnmappedException(period + " is no literal with a unit that jobs know. Write, for example, \"10s\"");
	}

}
