package io.mongolock.benchmarks.compare;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.DoubleAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

import io.mongolock.benchmarks.Table;

/**
 * The measurements, one scenario a method. All that is compared takes turns within each.
 */
final class Scenarios {

	private static final String[] HEAD = { "what", "threads", "grants/s", "share of the limit", "p50 ms", "p99 ms",
			"max ms", "requests per grant" };

	private final Servers servers;

	private final Extent extent;

	private final List<Kind> kinds;

	Scenarios(Servers servers, Extent extent) {
		this.servers = servers;
		this.extent = extent;
		this.kinds = Arrays.stream(Kind.values()).filter((kind) -> kind.asksServer() && servers.has(kind)).toList();
	}

	/**
	 * One key and many threads of one JVM.
	 */
	Table oneHotKey(int workMicros, SvgPlot plot) {
		double limit = (workMicros > 0) ? limit(workMicros) : Double.NaN;
		Table table = new Table("One key, threads of one JVM, " + workMicros / 1000 + " ms of work", HEAD);
		for (Kind kind : inOneJvm()) {
			List<Double> throughput = new ArrayList<>();
			for (int threads : this.extent.threads()) {
				Outcome outcome = run(kind, new Load(threads, 1, workMicros, this.extent.millis()));
				add(table, kind, String.valueOf(threads), outcome, limit);
				throughput.add(outcome.perSecond());
			}
			plot.add(kind.title(), throughput);
		}
		return table;
	}

	/**
	 * 1,000 keys and as many threads as there are most.
	 */
	Table manyKeys() {
		Table table = new Table("1,000 keys, threads of one JVM, 1 ms of work", HEAD);
		int threads = this.extent.threads().get(this.extent.threads().size() - 1);
		for (Kind kind : this.kinds) {
			add(table, kind, String.valueOf(threads), run(kind, new Load(threads, 1000, 1000, this.extent.millis())),
					Double.NaN);
		}
		return table;
	}

	/**
	 * One key and several JVMs of 8 threads each.
	 */
	Table severalJvms() {
		Table table = new Table("One key, several JVMs of 8 threads, 1 ms of work", "what", "JVMs", "grants/s",
				"share of the limit", "p50 ms (worst JVM)", "p99 ms (worst JVM)", "max ms", "requests per grant",
				"Jain's index of fairness");
		double limit = limit(1000);
		for (Kind kind : this.kinds) {
			for (int jvms : this.extent.jvms()) {
				Outcome outcome = Jvms.run(kind, this.servers.uri(kind), jvms,
						new Load(8, 1, 1000, this.extent.jvmsMillis()));
				table.add(kind.title(), jvms, outcome.perSecond(), outcome.perSecond() / limit, outcome.p50(),
						outcome.p99(), outcome.max(), outcome.requestsPerGrant(), outcome.jain());
			}
		}
		return table;
	}

	/**
	 * Many waiters in all JVMs.
	 */
	Table manyWaiters() {
		int jvms = this.extent.jvms().get(this.extent.jvms().size() - 1);
		Table table = new Table(this.extent.waiters() + " waiters for one key in " + jvms + " JVMs, 1 ms of work",
				"what", "grants/s", "max ms", "requests per grant", "ms of the store's CPU per grant",
				"Jain's index of fairness");
		for (Kind kind : this.kinds) {
			DoubleAdder before = new DoubleAdder();
			Outcome outcome = Jvms.run(kind, this.servers.uri(kind), jvms,
					new Load((this.extent.waiters() + jvms - 1) / jvms, 1, 1000, this.extent.jvmsMillis()),
					() -> before.add(this.servers.cpuMillis(kind)));
			table.add(kind.title(), outcome.perSecond(), outcome.max(), outcome.requestsPerGrant(),
					(this.servers.cpuMillis(kind) - before.sum()) / outcome.grants(), outcome.jain());
		}
		return table;
	}

	/**
	 * Locks that are held and renewed.
	 */
	Table held() {
		Table table = new Table("Locks that are held", "what", "locks", "requests per interval of 8 s");
		try (Competitor lock = Kind.MONGO_LOCK.connect(this.servers.uri(Kind.MONGO_LOCK))) {
			List<Competitor.Held> held = new ArrayList<>();
			for (int i = 0; i < this.extent.held(); i++) {
				held.add(lock.lock("held" + i));
			}
			long before = lock.requests();
			LockSupport.parkNanos(TimeUnit.SECONDS.toNanos(this.extent.heldSeconds()));
			table.add(Kind.MONGO_LOCK.title(), this.extent.held(),
					(lock.requests() - before) * 8.0 / this.extent.heldSeconds());
			held.forEach(Competitor.Held::unlock);
		}
		return table;
	}

	/**
	 * From a release to the grant of another client, which no hand-over reaches.
	 */
	Table wakeUp() {
		Table table = new Table("From a release to the grant of another client", "what", "p50 ms", "p99 ms", "max ms");
		for (Kind kind : this.kinds) {
			Samples samples = new Samples();
			try (Competitor one = kind.connect(this.servers.uri(kind));
					Competitor other = kind.connect(this.servers.uri(kind))) {
				for (int i = 0; i < this.extent.handovers(); i++) {
					samples.add(wakeUp((i % 2 == 0) ? one : other, (i % 2 == 0) ? other : one));
				}
			}
			Outcome outcome = Outcome.of(List.of(samples), 1, -1);
			table.add(kind.title(), outcome.p50(), outcome.p99(), outcome.max());
		}
		return table;
	}

	private static long wakeUp(Competitor holder, Competitor waiter) {
		Competitor.Held held = holder.lock("woken");
		CountDownLatch done = new CountDownLatch(1);
		AtomicLong granted = new AtomicLong();
		new Thread(() -> {
			Competitor.Held next = waiter.lock("woken");
			granted.set(System.nanoTime());
			next.unlock();
			done.countDown();
		}).start();
		// Long enough for it to wait, and not in step with its interval
		LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(150_000 + (long) (Math.random() * 100_000)));
		long released = System.nanoTime();
		held.unlock();
		try {
			done.await();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException("Interrupted while a waiter of the benchmark waits", ex);
		}
		return granted.get() - released;
	}

	private Outcome run(Kind kind, Load load) {
		try (Competitor competitor = kind.connect(this.servers.uri(kind))) {
			Load.warmUp(competitor);
			return load.run(competitor);
		}
	}

	private double limit(int workMicros) {
		return run(Kind.NONE, new Load(1, 1, workMicros, this.extent.millis() / 2)).perSecond();
	}

	private List<Kind> inOneJvm() {
		return Stream.concat(this.kinds.stream(), Stream.of(Kind.IN_JVM)).toList();
	}

	private static void add(Table table, Kind kind, String threads, Outcome outcome, double limit) {
		table.add(kind.title(), threads, outcome.perSecond(), outcome.perSecond() / limit, outcome.p50(), outcome.p99(),
				outcome.max(), outcome.requestsPerGrant());
	}

}
