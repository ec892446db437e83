package io.mongolock.store.mongo;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.bson.BsonDocument;

import io.mongolock.store.Claim;
import io.mongolock.store.Claims;
import io.mongolock.store.LeaseId;
import io.mongolock.store.LockFilter;
import io.mongolock.store.LockStore;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What a store sends, held to what was recorded on real servers.
 */
public final class SentStatements {

	private static final Duration TIMEOUT = Duration.ofSeconds(5);

	private SentStatements() {
	}

	/**
	 * Asks a store for all that there is to ask for.
	 */
	public static void askEverything(LockStore store, String key) {
		Set<String> asked = new TreeSet<>();
		LockStore watched = (LockStore) Proxy.newProxyInstance(LockStore.class.getClassLoader(),
				new Class<?>[] { LockStore.class }, (proxy, method, arguments) -> {
					asked.add(method.getName());
					return invoke(method, store, arguments);
				});
		Claim holder = Claims.first(Claims.on(key));
		Claim waiter = Claims.on(key);
		watched.acquire(holder, TIMEOUT);
		watched.acquire(waiter, TIMEOUT);
		watched.acquire(Claims.waiting(waiter), TIMEOUT);
		List<LeaseId> leases = List.of(holder.id(), new LeaseId(key, "other"));
		watched.renew(holder.id(), TIMEOUT);
		watched.renewAll(leases, TIMEOUT);
		watched.renewAll(leases, Map.of(holder.id(), "charging card"), TIMEOUT);
		watched.expireAll(Map.of(holder.id(), Duration.ofSeconds(7)), TIMEOUT);
		watched.requestRelease(holder.id(), "deploy", "me", TIMEOUT);
		watched.find(key, TIMEOUT);
		watched.findAll(List.of(key), TIMEOUT);
		watched.findQueues(List.of(key), TIMEOUT);
		watched.list("", "", 10, TIMEOUT);
		watched.list("k", "", 10, TIMEOUT);
		watched.list("k", key + "a", 10, TIMEOUT);
		watched.list(new LockFilter("", "", Duration.ZERO), "", 10, 10, TIMEOUT);
		watched.list(new LockFilter(key, "of none", Duration.ofSeconds(7)), "", 10, 2, TIMEOUT);
		watched.refreshAll(List.of(waiter.id()), TIMEOUT);
		watched.refreshAll(List.of(waiter.id(), new LeaseId(key + "2", "other")), TIMEOUT);
		watched.leave(waiter.id(), TIMEOUT);
		watched.leaveAll(List.of(waiter.id()), TIMEOUT);
		watched.releaseGrant(holder.id(), 1, TIMEOUT);
		watched.release(holder.id(), TIMEOUT);
		watched.releaseAll(leases, TIMEOUT);
		watched.confirmReleases(TIMEOUT);
		assertThat(asked).containsAll(Stream.of(LockStore.class.getMethods())
			.filter((method) -> Modifier.isAbstract(method.getModifiers()))
			.map(Method::getName)
			.collect(Collectors.toSet()));
	}

	/**
	 * Asks a store for locks whose leases may be idle.
	 */
	public static void askLingering(LockStore store, String key) {
		for (Claim claim : List.of(Claims.first(Claims.on(key)), Claims.on(key))) {
			store.acquire(Claims.lingering(claim, Duration.ofSeconds(10)), TIMEOUT);
		}
	}

	private static Object invoke(Method method, LockStore store, Object[] arguments) throws Throwable {
		try {
			return method.invoke(store, arguments);
		}
		catch (InvocationTargetException ex) {
			throw ex.getCause();
		}
	}

	/**
	 * Each has been recorded on a real server, in its very shape.
	 */
	public static void assertAllRecorded(CommandLog log) {
		Set<BsonDocument> recorded = RecordedCommands.all()
			.map(StatementShape::of)
			.collect(Collectors.toCollection(LinkedHashSet::new));
		assertThat(log.all()).isNotEmpty();
		assertThat(log.all()
			.stream()
			.filter((command) -> !recorded.contains(StatementShape.of(command)))
			.map(BsonDocument::toJson))
			.as("what was never sent to a real server: add it to statements.json and record it")
			.isEmpty();
	}

}
