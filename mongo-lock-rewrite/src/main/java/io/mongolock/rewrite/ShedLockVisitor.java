package io.mongolock.rewrite;

import java.util.Map;

import org.jspecify.annotations.Nullable;
import org.openrewrite.ExecutionContext;
import org.openrewrite.SourceFile;
import org.openrewrite.internal.ListUtils;
import org.openrewrite.java.AnnotationMatcher;
import org.openrewrite.java.JavaIsoVisitor;
import org.openrewrite.java.JavaParser;
import org.openrewrite.java.JavaTemplate;
import org.openrewrite.java.MethodMatcher;
import org.openrewrite.java.tree.J;
import org.openrewrite.java.tree.JavaType;
import org.openrewrite.java.tree.TypeTree;
import org.openrewrite.java.tree.TypeUtils;
import org.openrewrite.marker.SearchResult;

/**
 * Asserts by the new lock in methods whose annotation is turned, and comments on what is
 * left of ShedLock: it compiles beside the new annotations, and fails or locks something
 * else when it runs.
 */
abstract class ShedLockVisitor extends JavaIsoVisitor<ExecutionContext> {

	static final String SHED_LOCK = "net.javacrumbs.shedlock.";

	static final AnnotationMatcher LOCK = new AnnotationMatcher("@" + SHED_LOCK + "spring.annotation.SchedulerLock");

	static final AnnotationMatcher ENABLE = new AnnotationMatcher(
			"@" + SHED_LOCK + "spring.annotation.EnableSchedulerLock");

	private static final String LOCK_ASSERT = SHED_LOCK + "core.LockAssert";

	private static final MethodMatcher ASSERT_LOCKED = new MethodMatcher(LOCK_ASSERT + " assertLocked()");

	private static final String LOCK_CONTEXT = "io.mongolock.LockContext";

	/** The way out, by the type of ShedLock that is left. */
	private static final Map<String, String> LEFT = Map.of(LOCK_ASSERT,
			"LockAssert throws an exception under a lock of @DistributedLock or @ScheduledJob. Replace LockAssert by "
					+ "LockContext.current().assertHeld(), or remove it",
			SHED_LOCK + "core.LockExtender",
			"LockExtender throws an exception under a lock of @DistributedLock or @ScheduledJob. Such a lock renews "
					+ "itself, so remove LockExtender, or use LockContext.current().renew()",
			SHED_LOCK + "core.LockProvider",
			"an application with mongo-lock-shedlock does not start with this bean. Remove the bean",
			SHED_LOCK + "spring.annotation.EnableSchedulerLock",
			"remove this annotation when no @SchedulerLock is left", SHED_LOCK + "spring.annotation.LockProviderToUse",
			"remove this annotation. Without @SchedulerLock it does nothing, because this library keeps its locks in "
					+ "its own store");

	private static final String OTHER = "this code locks in ShedLock's store. Use LockOperations, where execute(…) "
			+ "waits and tryAcquire(…) skips";

	// What the new source knows of it; the application need not have it yet
	private static final String[] STUBS = { """
			package io.mongolock;
			public interface LockHandle { void assertHeld(); }
			""", """
			package io.mongolock;
			public final class LockContext { public static LockHandle current() { return null; } }
			""" };

	/**
	 * Whether the lock of a method is turned.
	 * @param lock its annotation
	 */
	abstract boolean isTurned(J.Annotation lock, J.MethodDeclaration method);

	// Sources of Kotlin and Groovy would be visited as well
	@Override
	public boolean isAcceptable(SourceFile source, ExecutionContext context) {
		return source instanceof J.CompilationUnit;
	}

	@Override
	public J.Annotation visitAnnotation(J.Annotation annotation, ExecutionContext context) {
		return (!LOCK.matches(annotation) && isShedLock(annotation.getType()))
				? SearchResult.found(annotation, left(annotation.getType()))
				: super.visitAnnotation(annotation, context);
	}

	@Override
	public J.MethodDeclaration visitMethodDeclaration(J.MethodDeclaration method, ExecutionContext context) {
		JavaType result = (method.getReturnTypeExpression() != null) ? method.getReturnTypeExpression().getType()
				: null;
		return (isShedLock(result)) ? SearchResult.found(method, left(result))
				: super.visitMethodDeclaration(method, context);
	}

	@Override
	public J.VariableDeclarations visitVariableDeclarations(J.VariableDeclarations variables,
			ExecutionContext context) {
		return (isShedLock(variables.getType())) ? SearchResult.found(variables, left(variables.getType()))
				: super.visitVariableDeclarations(variables, context);
	}

	@Override
	public J.ClassDeclaration visitClassDeclaration(J.ClassDeclaration type, ExecutionContext context) {
		J.ClassDeclaration visited = super.visitClassDeclaration(type, context);
		visited = visited.withExtends(marked(visited.getExtends()));
		return visited.withImplements(ListUtils.map(visited.getImplements(), ShedLockVisitor::marked));
	}

	private static @Nullable TypeTree marked(@Nullable TypeTree parent) {
		return (parent != null && isShedLock(parent.getType())) ? SearchResult.found(parent, left(parent.getType()))
				: parent;
	}

	@Override
	public J.MemberReference visitMemberReference(J.MemberReference reference, ExecutionContext context) {
		JavaType.Method referred = reference.getMethodType();
		return (referred != null && isShedLock(referred.getDeclaringType()))
				? SearchResult.found(reference, left(referred.getDeclaringType()))
				: super.visitMemberReference(reference, context);
	}

	@Override
	public J.NewClass visitNewClass(J.NewClass created, ExecutionContext context) {
		return (isShedLock(created.getType())) ? SearchResult.found(created, left(created.getType()))
				: super.visitNewClass(created, context);
	}

	@Override
	public J.MethodInvocation visitMethodInvocation(J.MethodInvocation call, ExecutionContext context) {
		JavaType.Method called = call.getMethodType();
		if (called == null || !isShedLock(called.getDeclaringType())) {
			return super.visitMethodInvocation(call, context);
		}
		J.MethodDeclaration caller = getCursor().firstEnclosing(J.MethodDeclaration.class);
		J.Annotation lock = (caller != null) ? lock(caller) : null;
		if (caller == null || lock == null) {
			return SearchResult.found(call, left(called.getDeclaringType()));
		}
		if (!isTurned(lock, caller)) {
			// The comment is there
			return call;
		}
		return (ASSERT_LOCKED.matches(call)) ? assertHeld(call)
				: SearchResult.found(call, left(called.getDeclaringType()));
	}

	private static J.@Nullable Annotation lock(J.MethodDeclaration method) {
		return method.getLeadingAnnotations().stream().filter(LOCK::matches).findFirst().orElse(null);
	}

	private J.MethodInvocation assertHeld(J.MethodInvocation call) {
		boolean namesake = isNamesakeUsed(getCursor().firstEnclosingOrThrow(J.CompilationUnit.class));
		maybeRemoveImport(LOCK_ASSERT);
		maybeRemoveImport(LOCK_ASSERT + ".assertLocked");
		if (!namesake) {
			maybeAddImport(LOCK_CONTEXT);
		}
		J.MethodInvocation asserted = JavaTemplate
			.builder(((namesake) ? LOCK_CONTEXT : "LockContext") + ".current().assertHeld()")
			.imports(LOCK_CONTEXT)
			.javaParser(JavaParser.fromJavaVersion().dependsOn(STUBS))
			.build()
			.apply(getCursor(), call.getCoordinates().replace());
		return asserted.withPrefix(call.getPrefix());
	}

	private static boolean isNamesakeUsed(J.CompilationUnit source) {
		return source.getTypesInUse()
			.getTypesInUse()
			.stream()
			.anyMatch((type) -> type instanceof JavaType.FullyQualified used
					&& used.getClassName().matches("(.*\\.)?LockContext")
					&& !used.getFullyQualifiedName().equals(LOCK_CONTEXT));
	}

	private static boolean isShedLock(@Nullable JavaType type) {
		JavaType.FullyQualified qualified = TypeUtils.asFullyQualified(type);
		return qualified != null && qualified.getFullyQualifiedName().startsWith(SHED_LOCK);
	}

	private static String left(@Nullable JavaType type) {
		return LEFT.entrySet()
			.stream()
			.filter((known) -> TypeUtils.isAssignableTo(known.getKey(), type))
			.map(Map.Entry::getValue)
			.findFirst()
			.orElse(OTHER);
	}

}
