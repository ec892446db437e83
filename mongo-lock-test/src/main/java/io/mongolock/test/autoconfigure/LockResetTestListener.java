package io.mongolock.test.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.core.Ordered;
import org.springframework.test.context.TestContext;
import org.springframework.test.context.TestContextAnnotationUtils;
import org.springframework.test.context.TestExecutionListener;

import io.mongolock.client.LockTemplate;
import io.mongolock.core.LocalLease;
import io.mongolock.store.LeaseId;
import io.mongolock.store.StoredHolder;
import io.mongolock.store.StoredLock;
import io.mongolock.test.InMemoryLockStore;

/**
 * Frees the locks after a test method, except those that were held before it.
 */
class LockResetTestListener implements TestExecutionListener, Ordered {

	private static final Log logger = LogFactory.getLog(LockResetTestListener.class);

	private static final String BEFORE = LockResetTestListener.class.getName() + ".before";

	/**
	 * After a test method, listeners run in reverse order. This one runs after the
	 * transaction of the test (4000), which keeps its locks until then, and before the
	 * context is closed (3000).
	 */
	@Override
	public int getOrder() {
		return 3900;
	}

	@Override
	public void beforeTestMethod(TestContext context) {
		store(context).ifPresent((store) -> context.setAttribute(BEFORE, held(store, client(context))));
	}

	private static Set<String> held(InMemoryLockStore store, @Nullable LockTemplate client) {
		return store.list("", "", Integer.MAX_VALUE, Duration.ZERO)
			.stream()
			.flatMap((lock) -> lock.holders()
				.stream()
				.filter((holder) -> isHeld(lock, holder, client))
				.map(StoredHolder::leaseToken))
			.collect(Collectors.toSet());
	}

	private static @Nullable LockTemplate client(TestContext context) {
		return context.getApplicationContext().getBeanProvider(LockTemplate.class).getIfAvailable();
	}

	@Override
	@SuppressWarnings("unchecked")
	public void afterTestMethod(TestContext context) {
		Set<String> before = (Set<String>) context.removeAttribute(BEFORE);
		store(context).ifPresent((store) -> reset(store.clear((before != null) ? before : Set.of()), context));
	}

	private static Optional<InMemoryLockStore> store(TestContext context) {
		AutoConfigureMongoLockTest annotation = TestContextAnnotationUtils.findMergedAnnotation(context.getTestClass(),
				AutoConfigureMongoLockTest.class);
		return (annotation != null && annotation.reset() && context.hasApplicationContext())
				? Optional.ofNullable(
						context.getApplicationContext().getBeanProvider(InMemoryLockStore.class).getIfAvailable())
				: Optional.empty();
	}

	private static void reset(List<StoredLock> freed, TestContext context) {
		LockTemplate client = client(context);
		List<String> held = freed.stream()
			.filter((lock) -> lock.holders().stream().anyMatch((holder) -> isHeld(lock, holder, client)))
			.map(StoredLock::key)
			.toList();
		if (!held.isEmpty()) {
			logger
				.warn("Locks were still held after " + context.getTestMethod().toGenericString() + " and are now lost: "
						+ held + ". Release them in the test, or wait for the work that holds them. To keep them held, "
						+ "use @AutoConfigureMongoLockTest(reset = false)");
		}
		if (client != null) {
			freed.forEach((lock) -> lock.liveHolders().forEach((holder) -> client.takenByForce(lock.key(), holder)));
		}
	}

	// No work runs during a minimum hold or under an idle lease
	private static boolean isHeld(StoredLock lock, StoredHolder holder, @Nullable LockTemplate client) {
		LocalLease own = (client != null) ? client.find(new LeaseId(lock.key(), holder.leaseToken())) : null;
		boolean idle = own != null && own.idleFor() != null;
		return holder.isAlive(lock.now()) && !holder.kept() && !idle;
	}

}
