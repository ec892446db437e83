package io.mongolock.autoconfigure;

import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CopyOnWriteArraySet;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.context.SmartLifecycle;

import io.mongolock.LockClock;
import io.mongolock.client.LockTemplate;
import io.mongolock.interceptor.check.LockMethodVerifier;
import io.mongolock.store.TimeLeft;

/**
 * Ends the clients when no bean can work any more. Spring waits for the work of executors
 * only when it destroys them, and that work may need another lock to end. Therefore this
 * bean is destroyed after all others except the client of the database. It is created
 * before other beans, and Spring destroys beans in the opposite order. It counts as
 * dependent on the database beans, so it is destroyed before them even if they are
 * destroyed early. Therefore it first destroys the executors, the beans that were stopped
 * before, and the locked beans that still exist. Then claims end, and running work has
 * the rest of the time. Locks that are still held are cut off then, as
 * {@code HoldRegistry.cutOffAll} does. Thread-safe.
 */
final class LockLifecycle implements BeanFactoryPostProcessor, DisposableBean {

	static final String BEAN_NAME = "mongoLockLifecycle";

	/** Boot's logging, which outlives all work, stops in this phase. */
	private static final int LAST_PHASE = Integer.MIN_VALUE + 1000;

	/** The budget divided by this is the time for the last requests. */
	private static final int REQUESTS = 5;

	/**
	 * The least time for the last requests, unless the budget is less than twice as long.
	 */
	private static final Duration MIN_REQUESTS = Duration.ofSeconds(1);

	private final List<LockTemplate> clients = new CopyOnWriteArrayList<>();

	/** The beans that the clients use to reach the store. */
	private final Set<String> storeBeans = new CopyOnWriteArraySet<>();

	private volatile @Nullable ConfigurableListableBeanFactory beans;

	private volatile LockClock clock = LockClock.system();

	private volatile Duration budget = Duration.ZERO;

	/** A client that is made after this is set must not start. */
	private volatile boolean ended;

	@Override
	public void postProcessBeanFactory(ConfigurableListableBeanFactory beans) {
		this.beans = beans;
	}

	/**
	 * End a client with the application.
	 * @param budget how long the end of all clients may take, not counting the time for
	 * which Spring waits for other beans meanwhile
	 */
	void add(LockTemplate client, LockClock clock, Duration budget) {
		this.clock = clock;
		this.budget = budget;
		this.clients.add(client);
		if (this.ended) {
			// Created so late that no other code would keep it from starting
			client.stopClaims(Duration.ZERO);
		}
	}

	/**
	 * Let beans be destroyed after the clients, because the clients need them.
	 * @param beans the names of the beans
	 */
	void endBefore(Collection<String> beans) {
		ConfigurableListableBeanFactory factory = this.beans;
		if (factory != null && this.storeBeans.addAll(beans)) {
			for (String bean : beans) {
				factory.registerDependentBean(bean, BEAN_NAME);
			}
		}
	}

	@Override
	public void destroy() {
		try {
			endWork();
		}
		finally {
			// Needed even if a bean cannot be inspected, which may be the reason why
			// the start failed
			this.ended = true;
			TimeLeft time = new TimeLeft(this.clock, this.budget);
			TimeLeft untilCutOff = new TimeLeft(this.clock, this.budget.minus(requests(this.budget)));
			try {
				sideBySide((client) -> client.stopClaims(untilCutOff.left()));
				// Wait on this thread, because it may hold a lock itself
				this.clients.forEach((client) -> client.awaitUnused(untilCutOff.left()));
			}
			finally {
				sideBySide((client) -> client.stop(time.left()));
			}
		}
	}

	// A busy machine needs some time even for the shortest statement. A lease that is
	// not shortened in time lasts for its ttl
	private static Duration requests(Duration budget) {
		Duration half = budget.dividedBy(2);
		Duration share = budget.dividedBy(REQUESTS);
		Duration least = (half.compareTo(MIN_REQUESTS) < 0) ? half : MIN_REQUESTS;
		return (share.compareTo(least) < 0) ? least : share;
	}

	// In parallel, so that a blocked client does not delay the others
	private void sideBySide(Consumer<LockTemplate> end) {
		CompletableFuture
			.allOf(this.clients.stream()
				.map((client) -> CompletableFuture.runAsync(() -> end.accept(client), LockLifecycle::start))
				.toArray(CompletableFuture[]::new))
			.join();
	}

	private static void start(Runnable task) {
		try {
			new Thread(task, "mongo-lock-end").start();
		}
		catch (OutOfMemoryError ex) {
			// No new thread can be started now
			task.run();
		}
	}

	// Called only at the end, when all dependencies of the database's client are known
	private void endWork() {
		if (!this.clients.isEmpty() && this.beans instanceof DefaultListableBeanFactory factory) {
			Stream
				.concat(Arrays.stream(factory.getBeanNamesForType(Executor.class, false, false)),
						Arrays.stream(factory.getSingletonNames())
							.filter((bean) -> mayWork(factory.getSingleton(bean), factory)))
				.filter((bean) -> !isNeeded(bean, factory, new HashSet<>()))
				.toList()
				.forEach(factory::destroySingleton);
		}
	}

	// A bean that runs jobs, such as a Quartz scheduler, stops only the start of new
	// jobs. Its jobs call beans that it does not depend on
	private static boolean mayWork(@Nullable Object bean, ConfigurableListableBeanFactory factory) {
		if (bean instanceof SmartLifecycle stopped && stopped.getPhase() > LAST_PHASE) {
			return true;
		}
		LockMethodVerifier verifier = factory.getBeanProvider(LockMethodVerifier.class).getIfAvailable();
		return bean != null && verifier != null && verifier.hasLocks(bean);
	}

	// Whether a bean must outlive the client of the database
	private boolean isNeeded(String bean, ConfigurableListableBeanFactory factory, Set<String> seen) {
		return this.storeBeans.contains(bean) || seen.add(bean) && Arrays.stream(factory.getDependentBeans(bean))
			.anyMatch((dependent) -> isNeeded(dependent, factory, seen));
	}

}
