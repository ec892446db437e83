package io.mongolock.test.server;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonObjectId;
import org.bson.BsonValue;
import org.bson.types.ObjectId;
import org.jspecify.annotations.Nullable;

import io.mongolock.test.proxy.FaultProxy;

/**
 * One server process of a {@link RealMongo}, which can be killed, frozen, started again
 * on its data and cut off from the others. Thread-safe.
 */
public final class RealMember {

	private static final int ATTEMPTS = 5;

	private final int index;

	private final Function<Path, List<String>> command;

	private final Function<Integer, Map<String, String>> environment;

	private final SetNetwork network;

	private final Path folder;

	private volatile @Nullable MongodProcess process;

	private volatile int port;

	RealMember(int index, SetNetwork network, Path folder, Function<Path, List<String>> command,
			Function<Integer, Map<String, String>> environment) {
		this.index = index;
		this.network = network;
		this.folder = folder;
		this.command = command;
		this.environment = environment;
	}

	/**
	 * Its number among the members.
	 * @return 0 for the first
	 */
	public int index() {
		return this.index;
	}

	/**
	 * The address at which the others and clients reach it, and by which it names itself.
	 * @return host and port
	 */
	public String address() {
		return this.network.address(this.index, this.port);
	}

	int port() {
		return this.port;
	}

	/**
	 * Its log since its first start.
	 * @return the file of the log
	 */
	public Path log() {
		return this.folder.resolve("mongod.log");
	}

	/**
	 * The process.
	 * @return its id
	 * @throws IllegalStateException if it does not run
	 */
	public long pid() {
		return running().pid();
	}

	/**
	 * Whether it has been started and not killed; a frozen member runs.
	 * @return {@code true} if there is a process
	 */
	public boolean isRunning() {
		MongodProcess current = this.process;
		return current != null && current.isRunning();
	}

	/**
	 * Kill it (SIGKILL), frozen or not. When this returns, it is gone.
	 */
	public synchronized void kill() {
		MongodProcess current = this.process;
		if (current != null) {
			current.kill();
		}
	}

	/**
	 * Stop all its threads (SIGSTOP). When this returns, they stand still. If there is a
	 * proxy between the members, new connections of other members are reset. New
	 * connections of clients are accepted and not answered.
	 */
	public synchronized void freeze() {
		running().freeze();
	}

	/**
	 * Let its threads go on (SIGCONT).
	 */
	public synchronized void thaw() {
		running().thaw();
	}

	/**
	 * Start it on its data, with its present environment, unless it runs. When this
	 * returns, it answers, but it may not yet take part in its set.
	 * @throws IllegalStateException if it does not start
	 */
	public synchronized void start() {
		for (int i = 0; !isRunning() && i < ATTEMPTS; i++) {
			// Keeps its port once it has one
			int candidate = (this.port != 0) ? this.port : Ports.free();
			List<String> all = new ArrayList<>(this.network.command(this.index));
			all.addAll(this.command.apply(this.folder));
			MongodProcess started = MongodProcess.start(all, this.environment.apply(this.index),
					this.network.host(this.index), candidate, this.folder.resolve("data"), log());
			this.process = started;
			if (started.awaitAnswer()) {
				this.port = candidate;
			}
		}
		running();
	}

	/**
	 * Stop all messages between it and the others, answers included, from now on until
	 * the set is {@link RealMongo#heal() healed}. Clients are not affected. Proxies
	 * refuse new connections between the members.
	 * @throws IllegalStateException if the servers were not started as separable
	 */
	public void isolate() {
		this.network.isolate(this.index);
	}

	/**
	 * Stop all messages to it and from it from now on, as if its machine were gone, until
	 * the set is {@link RealMongo#heal() healed}.
	 * @throws IllegalStateException if the servers were not started as separable
	 */
	public void vanish() {
		this.network.vanish(this.index);
	}

	/**
	 * The proxy between all its clients and this member, which sees their commands.
	 * @return the proxy
	 * @throws IllegalStateException if the servers were not started with proxies
	 */
	public FaultProxy fromClients() {
		return this.network.fromClients(this.index);
	}

	/**
	 * Whether it takes itself for the primary.
	 * @return whether it does; {@code false} also if it does not answer
	 */
	public boolean isPrimary() {
		return hello().map((hello) -> hello.getBoolean("ismaster").getValue()).orElse(false);
	}

	// Its view, which must agree with the others': the primary, and the term of the last
	// write that it has. Empty while it is neither primary nor secondary
	Optional<List<BsonValue>> view() {
		return hello()
			.filter((hello) -> hello.containsKey("primary") && (hello.getBoolean("ismaster").getValue()
					|| hello.getBoolean("secondary", BsonBoolean.FALSE).getValue()))
			.map((hello) -> List.of(hello.get("primary"),
					hello.getDocument("lastWrite").getDocument("opTime").get("t")));
	}

	// The id of its election, which is greater for a later one; empty if it is not the
	// primary
	Optional<ObjectId> election() {
		return hello().filter((hello) -> hello.getBoolean("ismaster").getValue())
			.map((hello) -> hello.getObjectId("electionId", new BsonObjectId(new ObjectId(0, 0))).getValue());
	}

	BsonDocument run(BsonDocument command) throws IOException {
		return running().run(command);
	}

	long pidOrNone() {
		MongodProcess current = this.process;
		return (current != null && current.isRunning()) ? current.pid() : 0;
	}

	boolean isFrozen() {
		MongodProcess current = this.process;
		return current != null && current.isFrozen();
	}

	void close() {
		kill();
	}

	private Optional<BsonDocument> hello() {
		MongodProcess current = this.process;
		try {
			return (current != null && current.isRunning()) ? Optional.of(current.hello()) : Optional.empty();
		}
		catch (IOException ex) {
			return Optional.empty();
		}
	}

	private MongodProcess running() {
		MongodProcess current = this.process;
		if (current == null || !current.isRunning()) {
			throw new IllegalStateException("Member " + this.index + " does not run: see " + log());
		}
		return current;
	}

	@Override
	public String toString() {
		return "member " + this.index + " (" + address() + ")";
	}

}
