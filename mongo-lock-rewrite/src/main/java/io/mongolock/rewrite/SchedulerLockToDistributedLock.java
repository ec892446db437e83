package io.mongolock.rewrite;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;

import org.jspecify.annotations.Nullable;
import org.openrewrite.Cursor;
import org.openrewrite.ExecutionContext;
import org.openrewrite.Recipe;
import org.openrewrite.ScanningRecipe;
import org.openrewrite.TreeVisitor;
import org.openrewrite.java.AnnotationMatcher;
import org.openrewrite.java.JavaIsoVisitor;
import org.openrewrite.java.JavaParser;
import org.openrewrite.java.JavaTemplate;
import org.openrewrite.java.tree.J;
import org.openrewrite.java.tree.JavaSourceFile;
import org.openrewrite.java.tree.JavaType;
import org.openrewrite.marker.SearchResult;
import org.openrewrite.maven.AddDependency;

/**
 * Turns {@code @SchedulerLock} of ShedLock into {@code @DistributedLock}. The key of the
 * lock stays what ShedLock called it, so that old and new instances exclude each other
 * where both use the locks of this library. What cannot be turned stays as it is, with a
 * comment that says why.
 */
public class SchedulerLockToDistributedLock extends ScanningRecipe<SchedulerLockToDistributedLock.Defaults> {

	private static final String SCHEDULER_LOCK = ShedLockVisitor.SHED_LOCK + "spring.annotation.SchedulerLock";

	private static final AnnotationMatcher LOCK = ShedLockVisitor.LOCK;

	private static final AnnotationMatcher ENABLE = ShedLockVisitor.ENABLE;

	private static final String DISTRIBUTED_LOCK = "io.mongolock.annotation.DistributedLock";

	private static final String ON_UNAVAILABLE = "io.mongolock.OnUnavailable";

	private static final String TAKEN_OVER = "defaultLockAtMostFor has become the ttl of locks without lockAtMostFor. "
			+ "A ttl need not outlast the longest run, because leases are renewed. Shorten these ttls, or delete them "
			+ "(the default is 30s). Remove this annotation when no @SchedulerLock is left";

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
		return "`name` becomes the name or the key, `lockAtMostFor` becomes the ttl, and `lockAtLeastFor` becomes the "
				+ "minimum hold. A method whose lock is taken is skipped as before. This recipe adds mongo-lock-starter "
				+ "to Maven modules. The ttl can be shorter than lockAtMostFor was, because leases are renewed.";
	}

	/**
	 * Modules of Maven whose sources have the annotation get the starter, unless they
	 * have it.
	 */
	@Override
	public List<Recipe> getRecipeList() {
		return List.of(new AddDependency("io.mongolock", "mongo-lock-starter", version(), null, null, null,
				SCHEDULER_LOCK, null, null, null, null, true));
	}

	static String version() {
		try (InputStream in = SchedulerLockToDistributedLock.class.getResourceAsStream("starter.properties")) {
			Properties starter = new Properties();
			starter.load(Objects.requireNonNull(in));
			return starter.getProperty("version");
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
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
				if (LOCK.matches(annotation)) {
					defaults.isUsed |= lacksTtl(new Attributes(annotation));
				}
				if (ENABLE.matches(annotation)) {
					// Other languages write it otherwise
					boolean known = getCursor().firstEnclosing(JavaSourceFile.class) instanceof J.CompilationUnit;
					defaults.add(known ? new Attributes(annotation) : null);
				}
				return annotation;
			}

			@Override
			public J.ClassDeclaration visitClassDeclaration(J.ClassDeclaration type, ExecutionContext context) {
				defaults.namesakes |= isNamesake(type.getType());
				return super.visitClassDeclaration(type, context);
			}

		};
	}

	@Override
	public TreeVisitor<?, ExecutionContext> getVisitor(Defaults defaults) {
		return new ShedLockVisitor() {

			@Override
			boolean isTurned(J.Annotation lock, J.MethodDeclaration method) {
				try {
					turned(new Attributes(lock), defaults);
					return true;
				}
				catch (UnmappedException ex) {
					return false;
				}
			}

			@Override
			public J.Annotation visitAnnotation(J.Annotation annotation, ExecutionContext context) {
				if (ENABLE.matches(annotation) && defaults.isTakenOver()) {
					return SearchResult.found(annotation, TAKEN_OVER);
				}
				if (!LOCK.matches(annotation)) {
					return super.visitAnnotation(annotation, context);
				}
				try {
					checkAliases(getCursor().getParentTreeCursor().getValue());
					String turned = turned(new Attributes(annotation), defaults);
					maybeRemoveImport(SCHEDULER_LOCK);
					if (defaults.namesakes
							|| hasNamesakes(getCursor().firstEnclosingOrThrow(J.CompilationUnit.class))) {
						turned = turned.replaceFirst("DistributedLock", DISTRIBUTED_LOCK)
							.replaceFirst("OnUnavailable\\.SKIP", ON_UNAVAILABLE + ".SKIP");
					}
					else {
						maybeAddImport(DISTRIBUTED_LOCK);
						maybeAddImport(ON_UNAVAILABLE);
					}
					return apply(turned, annotation, getCursor());
				}
				catch (UnmappedException ex) {
					return SearchResult.found(annotation, ex.getMessage());
				}
			}

		};
	}

	private static boolean lacksTtl(Attributes attributes) {
		try {
			String own = attributes.text("lockAtMostFor");
			return own == null || own.isBlank();
		}
		catch (UnmappedException ex) {
			return false;
		}
	}

	private static void checkAliases(Object annotated) {
		if (annotated instanceof J.ClassDeclaration type && !type.getBody().getStatements().isEmpty()) {
			throw new UnmappedException("the recipe cannot see whether attributes of this annotation are aliases of "
					+ "@SchedulerLock's attributes. Write @DistributedLock by hand");
		}
	}

	// An unused import is no type in use
	private static boolean hasNamesakes(J.CompilationUnit source) {
		return source.getImports().stream().anyMatch((imported) -> isNamesake(imported.getTypeName()))
				|| source.getTypesInUse().getTypesInUse().stream().anyMatch(SchedulerLockToDistributedLock::isNamesake);
	}

	private static boolean isNamesake(@Nullable JavaType type) {
		return type instanceof JavaType.FullyQualified qualified && isNamesake(qualified.getFullyQualifiedName());
	}

	private static boolean isNamesake(String type) {
		return type.matches("(.*[.$])?(DistributedLock|OnUnavailable)") && !type.equals(DISTRIBUTED_LOCK)
				&& !type.equals(ON_UNAVAILABLE);
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
		append(turned, "ttl", attributes, "lockAtMostFor", defaults.lockAtMostFor);
		append(turned, "minHold", attributes, "lockAtLeastFor", defaults.lockAtLeastFor);
		return turned.append(")").toString();
	}

	private static void append(StringBuilder turned, String attribute, Attributes attributes, String there,
			Set<Optional<String>> defaults) {
		String own = attributes.text(there);
		String duration = (own != null && !own.isBlank()) ? own : Defaults.one(defaults, there);
		if (!duration.isEmpty()) {
			turned.append(", ").append(attribute).append(" = ").append(Literals.quoted(Durations.of(there, duration)));
		}
	}

	/**
	 * What the sources say that is for all locks: {@code @EnableSchedulerLock} for
	 * methods that say nothing, and the names that are taken.
	 */
	public static final class Defaults {

		/** As each {@code @EnableSchedulerLock} has it; empty where it cannot be read. */
		private final Set<Optional<String>> lockAtMostFor = new HashSet<>();

		private final Set<Optional<String>> lockAtLeastFor = new HashSet<>();

		/** Whether a lock has no time of its own. */
		private boolean isUsed;

		/** Whether the application has types with the names of the new annotation. */
		private boolean namesakes;

		private void add(@Nullable Attributes enable) {
			this.lockAtMostFor.add(value(enable, "defaultLockAtMostFor", null));
			this.lockAtLeastFor.add(value(enable, "defaultLockAtLeastFor", ""));
		}

		private boolean isTakenOver() {
			return this.isUsed && this.lockAtMostFor.size() == 1 && this.lockAtMostFor.iterator().next().isPresent();
		}

		private static Optional<String> value(@Nullable Attributes enable, String attribute, @Nullable String absent) {
			try {
				String text = (enable != null) ? enable.text(attribute) : null;
				return Optional.ofNullable((text != null || enable == null) ? text : absent);
			}
			catch (UnmappedException ex) {
				return Optional.empty();
			}
		}

		// Empty if there is none
		private static String one(Set<Optional<String>> values, String attribute) {
			if (values.isEmpty()) {
				return "";
			}
			return ((values.size() == 1) ? values.iterator().next() : Optional.<String>empty())
				.orElseThrow(() -> new UnmappedException(
						"default" + attribute.replace("lock", "Lock") + " is no literal in Java, or has several "
								+ "values in the sources. Set " + attribute + " in this annotation"));
		}

	}

}
