package io.mongolock.benchmarks;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import com.mongodb.WriteConcern;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import org.bson.Document;
import org.jspecify.annotations.Nullable;
import org.springframework.data.mongodb.SessionSynchronization;
import org.springframework.data.mongodb.core.MongoTemplate;

import io.mongolock.LockClock;
import io.mongolock.LockHandle;
import io.mongolock.LockOwner;
import io.mongolock.LockRequest;
import io.mongolock.LockSettings;
import io.mongolock.client.ClientOptions;
import io.mongolock.client.ClientOptions.LeakDetection;
import io.mongolock.client.LockTemplate;
import io.mongolock.core.ConfiguredSettings;
import io.mongolock.store.Claim;
import io.mongolock.store.LeaseId;
import io.mongolock.store.ReleaseListener;
import io.mongolock.store.ReleaseWatch;
import io.mongolock.store.mongo.GrantingStore;
import io.mongolock.store.mongo.MongoLockStore;

/**
 * The JVM of {@link GrantBenchmark} that waits, and the one of those that only listen.
 * Does what its input says, a line each, and answers by lines. Arguments: server, what
 * tokens begin with.
 */
public final class GrantWaiter implements ReleaseListener, AutoCloseable {

	static final String DATABASE = "benchmark";

	static final String COLLECTION = "locks";

	/** The lock of all ways but that of the library. */
	static final String KEY = "granted";

	static final LockRequest REQUEST = LockRequest.of("awaited");

	static final Duration TTL = Duration.ofSeconds(30);

	static final Duration PLACE_TTL = Duration.ofSeconds(6);

	/** For how long a release lends the lock. */
	static final Duration LENT = Duration.ofSeconds(10);

	static final Duration TIMEOUT = Duration.ofSeconds(3);

	static final String READY = "READY";

	static final String GRANTED = "GRANTED ";

	static final String DONE = "DONE";

	private static final int WARM_UP_PAIRS = 1_500;

	private final MongoClient client;

	private final MongoTemplate template;

	private final MongoLockStore store;

	private final GrantingStore granting;

	private final String tokens;

	private final LockOwner owner;

	/** A key that was released, or a token that was granted. */
	private final BlockingQueue<String> heard = new LinkedBlockingQueue<>();

	private final List<ReleaseWatch> watches = new ArrayList<>();

	private @Nullable LockTemplate locks;

	private GrantWaiter(String uri, String tokens) {
		this.client = MongoClients.create(uri);
		this.template = template(this.client);
		this.store = new MongoLockStore(this.template, COLLECTION, "");
		this.granting = new GrantingStore(this.template, COLLECTION, LENT);
		this.tokens = tokens;
		this.owner = new LockOwner("benchmark", tokens, "host.example", ProcessHandle.current().pid(), "main");
	}

	public static void main(String[] args) throws Exception {
		BufferedReader input = new BufferedReader(new InputStreamReader(System.in));
		try (GrantWaiter waiter = new GrantWaiter(args[0], args[1])) {
			for (String line = input.readLine(); line != null; line = input.readLine()) {
				waiter.run(line.split(" "));
			}
		}
	}

	static MongoTemplate template(MongoClient client) {
		MongoTemplate template = new MongoTemplate(client, DATABASE);
		template.setSessionSynchronization(SessionSynchronization.NEVER);
		return template;
	}

	static LockTemplate locks(MongoTemplate template, LockOwner owner) {
		LockSettings settings = LockSettings.builder().waitTimeout(Duration.ofMinutes(1)).build();
		return new LockTemplate(new MongoLockStore(template, COLLECTION, ""),
				new ClientOptions(new ConfiguredSettings(settings, Map.of()), owner, LockClock.system(), List.of())
					.withLeakDetection(LeakDetection.OFF));
	}

	/**
	 * Have the JVM compile what sends a request.
	 */
	static void warmUp(MongoTemplate template, LockOwner owner) {
		LockTemplate locks = locks(template, owner);
		for (int i = 0; i < WARM_UP_PAIRS; i++) {
			locks.acquire(LockRequest.of("warm up " + owner.instance())).close();
		}
		locks.stop(TIMEOUT);
	}

	private void warmUp() {
		warmUp(this.template, this.owner);
		for (int i = 0; i < WARM_UP_PAIRS / 4; i++) {
			LeaseId id = new LeaseId("warm up", this.tokens + i);
			this.store.acquire(Claim.of(id, this.owner, TTL).inQueue(PLACE_TTL), TIMEOUT);
			this.granting.lengthen(id, TTL);
			this.granting.release(id, WriteConcern.W1);
		}
	}

	private void run(String[] command) throws InterruptedException, IOException {
		switch (command[0]) {
			case "warm" -> warmUp();
			case "open" -> open(GrantWay.valueOf(command[1]), Integer.parseInt(command[2]));
			case "close" -> closeWatches();
			case "wait" -> await(GrantWay.valueOf(command[1]), command[2]);
			default -> throw new IOException("Unknown command " + command[0]);
		}
		System.out.println(DONE);
	}

	private void open(GrantWay way, int number) throws InterruptedException {
		for (int i = 0; i < number; i++) {
			String client = this.tokens + ((i > 0) ? i : "");
			this.watches.add((way.grants()) ? this.granting.watchGrants(client, (token, fence) -> this.heard.add(token))
					: this.store.watchReleases(this));
		}
		while (!this.watches.stream().allMatch(ReleaseWatch::isLive)) {
			Thread.sleep(5);
		}
	}

	private void closeWatches() throws InterruptedException {
		this.watches.forEach(ReleaseWatch::close);
		LockTemplate locks = this.locks;
		Thread stop = new Thread(() -> {
			if (locks != null) {
				locks.stop(TIMEOUT);
			}
			this.watches.forEach(GrantWaiter::awaitEnd);
		});
		stop.start();
		while (stop.isAlive()) {
			// All streams show it, and end with the request that is underway
			this.template.getCollection(COLLECTION).insertOne(new Document("_id", "end of " + this.tokens));
			this.template.getCollection(COLLECTION).deleteOne(new Document("_id", "end of " + this.tokens));
			stop.join(30);
		}
		this.watches.clear();
		this.locks = null;
	}

	private static void awaitEnd(ReleaseWatch watch) {
		try {
			watch.awaitEnd(TIMEOUT);
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException("Interrupted while streams of the benchmark end", ex);
		}
	}

	private void await(GrantWay way, String token) throws InterruptedException, IOException {
		if (way == GrantWay.LIBRARY) {
			awaitByLibrary();
			return;
		}
		LeaseId id = new LeaseId(KEY, token);
		this.heard.clear();
		System.out.println(READY);
		if (way == GrantWay.CLAIM) {
			hear(KEY);
			Claim claim = Claim.of(id, this.owner, TTL).inQueue(PLACE_TTL);
			while (this.store.acquire(claim, TIMEOUT).grantTo(token).isEmpty()) {
				hear(KEY);
			}
		}
		else {
			hear(token);
		}
		if (way != GrantWay.RENEWED) {
			System.out.println(GRANTED + System.nanoTime());
		}
		if (way.grants() && !this.granting.lengthen(id, TTL)) {
			throw new IOException("The lock was not granted to who heard of it");
		}
		if (way == GrantWay.RENEWED) {
			System.out.println(GRANTED + System.nanoTime());
		}
	}

	private void hear(String expected) throws InterruptedException, IOException {
		String heard;
		do {
			heard = this.heard.poll(TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
			if (heard == null) {
				throw new IOException("Nothing was heard within " + TIMEOUT);
			}
		}
		while (!heard.equals(expected));
	}

	private void awaitByLibrary() {
		if (this.locks == null) {
			this.locks = locks(this.template, this.owner);
		}
		System.out.println(READY);
		LockHandle handle = this.locks.acquire(REQUEST);
		System.out.println(GRANTED + System.nanoTime());
		handle.close();
	}

	@Override
	public void released(String key) {
		this.heard.add(key);
	}

	@Override
	public void missed() {
		// The streams live before anything is measured
	}

	@Override
	public void close() {
		this.client.close();
	}

}
