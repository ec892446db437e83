package io.mongolock.rewrite;

import java.util.List;

import org.jspecify.annotations.Nullable;
import org.openrewrite.Cursor;
import org.openrewrite.ExecutionContext;
import org.openrewrite.ScanningRecipe;
import org.openrewrite.TreeVisitor;
import org.openrewrite.java.AnnotationMatcher;
import org.openrewrite.java.JavaIsoVisitor;
import org.openrewrite.java.JavaParser;
import org.openrewrite.java.JavaTemplate;
import org.openrewrite.java.tree.Expression;
import org.openrewrite.java.tree.J;
import org.openrewrite.marker.SearchResult;

/**
 * Turns {@code @SchedulerLock} of ShedLock into {@code @DistributedLock}. The key of the
 * lock stays what ShedLock called it, so that old and new instances exclude each other
 * where both use the locks of this library. What cannot be turned stays as it is, with a
 * comment that says why.
 */
public class SchedulerLockToDistributedLock extends ScanningRecipe<SchedulerLockToDistributedLock.Defaults> {

	private static final String SHED_LOCK = "net.javacrumbs.shedlock.spring.annotation.";

	private static final AnnotationMatcher LOCK = new AnnotationMatcher("@" + SHED_LOCK + "SchedulerLock");

	private static final AnnotationMatcher ENABLE = new AnnotationMatcher("@" + SHED_LOCK + "EnableSchedulerLock");

	private static final String DISTRIBUTED_LOCK = "io.mongolock.annotation.DistributedLock";

	private static final String ON_UNAVAILABLE = "io.mongolock.OnUnavailable";

	// What the new source knows of them; the application need not have them yet
	private static final String[] STUBS = { """
			package io.mongolock;
			public enum OnUnavailable { FAIL, SKIP }
			""", """
			package io.mongolock.annotation;
			import io.mongolock.OnUnavailable;
			public @interface DistributedLock {
				String name() default "";
				String key() default "";
				OnUnavailable onUnavailable() default OnUnavailable.FAIL;
				String ttl() default "";
				String minHold() default "";
			}
			""" };

	@Override
	public String getDisplayName() {
		return "Turn `@SchedulerLock` of ShedLock into `@DistributedLock`";
	}

	@Override
	public String getDescription() {
		return "The name becomes the name or the key, `lockAtMostFor` the ttl, `lockAtLeastFor` the minimum hold, "
				+ "and a method whose lock is taken is skipped as before.";
	}

	@Override
	public Defaults getInitialValue(ExecutionContext context) {
		return new Defaults();
	}

	@Override
	public TreeVisitor<?, ExecutionContext> getScanner(Defaults defaults) {
		return new JavaIsoVisitor<>() {

			@Override
			public J.Annotation visitAnnotation(J.Annotation annotation, ExecutionContext context) {
				if (ENABLE.matches(annotation)) {
					defaults.lockAtLeastFor = new Attributes(annotation).text("defaultLockAtLeastFor");
				}
				return annotation;
			}

		};
	}

	@Override
	public TreeVisitor<?, ExecutionContext> getVisitor(Defaults defaults) {
		return new JavaIsoVisitor<>() {

			@Override
			public J.Annotation visitAnnotation(J.Annotation annotation, ExecutionContext context) {
				if (!LOCK.matches(annotation)) {
					return super.visitAnnotation(annotation, context);
				}
				try {
					String turned = turned(new Attributes(annotation), defaults);
					maybeRemoveImport(SHED_LOCK + "SchedulerLock");
					maybeAddImport(DISTRIBUTED_LOCK);
					maybeAddImport(ON_UNAVAILABLE);
					return apply(turned, annotation, getCursor());
				}
				catch (UnmappedException ex) {
					return SearchResult.found(annotation, ex.getMessage());
				}
			}

		};
	}

	private static J.Annotation apply(String turned, J.Annotation annotation, Cursor cursor) {
		return JavaTemplate.builder(turned)
			.imports(DISTRIBUTED_LOCK, ON_UNAVAILABLE)
			.javaParser(JavaParser.fromJavaVersion().dependsOn(STUBS))
			.build()
			.apply(cursor, annotation.getCoordinates().replace());
	}

	private static String turned(Attributes attributes, Defaults defaults) {
		StringBuilder turned = new StringBuilder("@DistributedLock(" + LockName.of(attributes.text("name")).attribute()
				+ ", onUnavailable = OnUnavailable.SKIP");
		String most = attributes.text("lockAtMostFor");
		String least = attributes.text("lockAtLeastFor");
		append(turned, "ttl", most);
		append(turned, "minHold", (least != null) ? least : defaults.lockAtLeastFor);
		return turned.append(")").toString();
	}

	private static void append(StringBuilder turned, String attribute, @Nullable String duration) {
		if (duration != null && !duration.isEmpty()) {
			turned.append(", ").append(attribute).append(" = ").append(Literals.quoted(Durations.of(duration)));
		}
	}

	/**
	 * What {@code @EnableSchedulerLock} says for methods that say nothing.
	 */
	public static final class Defaults {

		private @Nullable String lockAtLeastFor;

	}

	/**
	 * The attributes of an annotation, of which each is one literal.
	 *
	 * @param annotation the annotation
	 */
	private record Attributes(J.Annotation annotation) {

		@Nullable String text(String attribute) {
			List<Expression> arguments = this.annotation.getArguments();
			if (arguments == null) {
				return null;
			}
			for (Expression argument : arguments) {
				if (argument instanceof J.Assignment assignment
						&& assignment.getVariable() instanceof J.Identifier variable
						&& variable.getSimpleName().equals(attribute)) {
					return literal(attribute, assignment.getAssignment());
				}
			}
			return null;
		}

		private static String literal(String attribute, Expression value) {
			if (value instanceof J.Literal literal && literal.getValue() instanceof String text) {
				return text;
			}
			throw new UnmappedException(attribute + " is no literal: turn this lock into @DistributedLock by hand");
		}

	}

}
