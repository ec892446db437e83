package io.mongolock.test.server;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import org.bson.BsonArray;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.bson.BsonValue;

/**
 * Real servers as processes of this machine: a standalone one or a replica set, with
 * their own ports and folders. They end with {@link #close()}, or at the latest with this
 * JVM, even if the JVM is killed. If they do not start, or a test fails meanwhile, their
 * logs are kept, and the output says where. All other files are deleted. Thread-safe.
 *
 * <pre class="code">
 * try (RealMongo set = RealMongo.builder(binary).replicaSet(3).separable().start()) {
 *     MongoClient client = MongoClients.create(set.connectionString());
 *     RealMember old = set.primary();
 *     old.isolate();
 *     set.primaryOtherThan(old);
 *     …
 *     set.heal();
 * }
 * </pre>
 */
public final class RealMongo implements AutoCloseable {

	private static final Duration LONG_ENOUGH = Duration.ofMinutes(1);

	/**
	 * How long a set is without its primary before another member stands for election: a
	 * fifth of the default.
	 */
	private static final int ELECTION_MILLIS = 2000;

	private static final String SET_NAME = "rs";

	private static final String USER = "test";

	private static final String PASSWORD = "secret";

	private final Builder settings;

	private final Path folder;

	private final SetNetwork network;

	private final List<RealMember> members;

	private boolean ended;

	private final Thread atExit = new Thread(this::endWithThisJvm, "end-of-servers");

	private RealMongo(Builder settings) {
		this.settings = settings;
		int count = Math.max(1, settings.members);
		this.network = settings.network.apply(count, this::members);
		this.folder = newFolder();
		this.members = IntStream.range(0, count)
			.mapToObj((index) -> new RealMember(index, this.network, memberFolder(index), this::command,
					settings.environment))
			.toList();
		settings.logs.started(this.folder);
		Runtime.getRuntime().addShutdownHook(this.atExit);
		try {
			CompletableFuture
				.allOf(this.members.stream()
					.map((member) -> CompletableFuture.runAsync(member::start))
					.toArray(CompletableFuture[]::new))
				.join();
			setUp();
		}
		catch (IOException | RuntimeException ex) {
			this.settings.logs.keep(this.folder);
			close();
			throw new IllegalStateException("No " + label() + " started: see the logs in " + this.folder, ex);
		}
	}

	/**
	 * Create settings of servers to start, by default for a standalone server.
	 * @param binary the executable to start
	 * @return a builder
	 */
	public static Builder builder(MongodBinary binary) {
		return new Builder(binary);
	}

	/**
	 * The connection string for clients, with user and password if there are any. It
	 * names the set and all its members, so that a driver follows elections.
	 * @return the connection string
	 */
	public String connectionString() {
		return uri(this.members.stream().map(RealMember::address).collect(Collectors.joining(",")),
				(this.settings.members > 0) ? "replicaSet=" + SET_NAME : "directConnection=true");
	}

	/**
	 * The connection string for clients of one member only, whether it is the primary or
	 * not.
	 * @param member one of the members
	 * @return the connection string
	 */
	public String connectionString(RealMember member) {
		return uri(member.address(), "directConnection=true");
	}

	/**
	 * All servers in the order of their numbers.
	 * @return the standalone server, or the members of the set
	 */
	public List<RealMember> members() {
		return this.members;
	}

	/**
	 * Wait for a primary, and return the one that was elected last.
	 * @return the member, or the standalone server
	 * @throws IllegalStateException if there is none within a minute
	 */
	public RealMember primary() {
		return awaitPrimary(this.members);
	}

	/**
	 * Wait for a primary among the other members, and return the one that was elected
	 * last.
	 * @param old the member that is not asked, because it may not know yet that it was
	 * replaced
	 * @return the member
	 * @throws IllegalStateException if there is none within a minute
	 */
	public RealMember primaryOtherThan(RealMember old) {
		return awaitPrimary(this.members.stream().filter((member) -> member != old).toList());
	}

	/**
	 * The members other than the primary, whether they run or not.
	 * @return all members except the primary
	 */
	public List<RealMember> secondaries() {
		RealMember primary = primary();
		return this.members.stream().filter((member) -> member != primary).toList();
	}

	/**
	 * End all faults: thaw, start and connect all members. Then wait until they agree on
	 * their primary, until each is the primary or a secondary, and until each has the
	 * write that the primary made when it was elected.
	 * @throws IllegalStateException if they do not within a minute
	 */
	public void heal() {
		this.network.heal();
		for (RealMember member : this.members) {
			if (member.isRunning()) {
				member.thaw();
			}
			member.start();
		}
		awaitAgreement();
	}

	/**
	 * The label for figures that are measured on these servers.
	 * @return like {@code mongod 6.0.27, replica set of 3 members}
	 */
	public String label() {
		return "mongod " + this.settings.binary.version() + ", " + switch (this.settings.members) {
			case 0 -> "standalone server";
			case 1 -> "replica set of 1 member";
			default -> "replica set of " + this.settings.members + " members";
		};
	}

	/**
	 * Kill all members and delete their data. A second call does nothing.
	 */
	@Override
	public void close() {
		if (end()) {
			this.settings.logs.ended(this.folder);
		}
		try {
			Runtime.getRuntime().removeShutdownHook(this.atExit);
		}
		catch (IllegalStateException ex) {
			// This JVM is ending, and the hook ends with it
		}
	}

	private synchronized boolean end() {
		boolean first = !this.ended;
		this.ended = true;
		if (first) {
			closeMembers();
			Folders.delete(this.folder, (file) -> file.toString().endsWith(".log"));
		}
		return first;
	}

	// Closes each member, even if another does not end
	private void closeMembers() {
		CompletableFuture
			.allOf(this.members.stream()
				.map((member) -> CompletableFuture.runAsync(member::close))
				.toArray(CompletableFuture[]::new))
			.whenComplete((done, failure) -> this.network.close())
			.join();
	}

	private void endWithThisJvm() {
		if (end()) {
			this.settings.logs.delete(this.folder);
		}
	}

	private void setUp() throws IOException {
		if (this.settings.members > 0) {
			this.members.get(0).run(new BsonDocument("replSetInitiate", configuration()));
			awaitAgreement();
		}
		if (this.settings.authentication) {
			createUser();
		}
		else {
			Waiting.until("checkpoint of " + this.members, LONG_ENOUGH,
					() -> this.members.stream().allMatch(RealMongo::isDurable));
		}
	}

	// Otherwise, a 4.4 server that is killed in its first seconds forgets its set (7 of
	// 60 did). A 6.0 server refuses this until it is in step with the others
	private static boolean isDurable(RealMember member) {
		try {
			member.run(new BsonDocument("fsync", new BsonInt32(1)));
			return true;
		}
		catch (IOException ex) {
			return false;
		}
	}

	// A server allows this to the first client from its own machine
	private void createUser() throws IOException {
		BsonDocument everywhere = new BsonDocument("w", new BsonInt32(this.members.size())).append("j",
				BsonBoolean.TRUE);
		primary().run(new BsonDocument("createUser", new BsonString(USER)).append("pwd", new BsonString(PASSWORD))
			.append("roles", new BsonArray(List.of(new BsonString("root"))))
			.append("writeConcern", everywhere));
	}

	private BsonDocument configuration() {
		BsonArray hosts = new BsonArray();
		this.members.forEach((member) -> hosts.add(new BsonDocument("_id", new BsonInt32(member.index())).append("host",
				new BsonString(member.address()))));
		BsonDocument configuration = new BsonDocument("_id", new BsonString(SET_NAME)).append("members", hosts);
		return (this.settings.usualElections) ? configuration
				: configuration.append("settings",
						new BsonDocument("electionTimeoutMillis", new BsonInt32(ELECTION_MILLIS))
							.append("heartbeatIntervalMillis", new BsonInt32(ELECTION_MILLIS / 10))
							.append("heartbeatTimeoutSecs", new BsonInt32(ELECTION_MILLIS / 1000)));
	}

	private void awaitAgreement() {
		if (this.settings.members == 0) {
			return;
		}
		Waiting.until("primary on which all of " + this.members + " agree", LONG_ENOUGH, () -> {
			List<Optional<List<BsonValue>>> views = this.members.stream().map(RealMember::view).distinct().toList();
			return views.size() == 1 && views.get(0).isPresent()
					&& this.members.stream().filter(RealMember::isPrimary).count() == 1;
		});
	}

	private RealMember awaitPrimary(List<RealMember> candidates) {
		List<RealMember> found = new ArrayList<>();
		Waiting.until("primary among " + candidates, LONG_ENOUGH, () -> {
			latest(candidates).ifPresent(found::add);
			return !found.isEmpty();
		});
		return found.get(0);
	}

	private static Optional<RealMember> latest(List<RealMember> candidates) {
		return candidates.stream()
			.flatMap((member) -> member.election().map((election) -> Map.entry(election, member)).stream())
			.max(Map.Entry.comparingByKey())
			.map(Map.Entry::getValue);
	}

	private List<String> command(Path folder) {
		List<String> command = new ArrayList<>(List.of(this.settings.binary.path().toString(), "--unixSocketPrefix",
				folder.toString(), "--wiredTigerCacheSizeGB", "0.25",
				// So that proxies can read the messages
				"--networkMessageCompressors", "disabled", "--setParameter", "diagnosticDataCollectionEnabled=false"));
		if (this.settings.members > 0) {
			command.addAll(List.of("--replSet", SET_NAME, "--oplogSize", "64"));
		}
		if (this.settings.authentication) {
			command
				.addAll((this.settings.members > 0) ? List.of("--keyFile", keyFile().toString()) : List.of("--auth"));
		}
		command.addAll(this.settings.arguments);
		return command;
	}

	private synchronized Path keyFile() {
		Path file = this.folder.resolve("key");
		try {
			if (!Files.exists(file)) {
				Files.writeString(file, "onlyForTestsOnThisMachine");
				Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
			}
			return file;
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private String uri(String hosts, String option) {
		return "mongodb://" + (this.settings.authentication ? USER + ":" + PASSWORD + "@" : "") + hosts + "/?" + option;
	}

	private Path memberFolder(int index) {
		try {
			return Files.createDirectories(this.folder.resolve("member-" + index));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static Path newFolder() {
		try {
			return Files.createTempDirectory("mongo-lock-servers-");
		}
		catch (IOException ex) {
			throw new UncheckedIOException("No folder for servers", ex);
		}
	}

	@Override
	public String toString() {
		return label() + this.network + " at " + this.members;
	}

	/**
	 * Settings of servers to start.
	 */
	public static final class Builder {

		private final MongodBinary binary;

		private int members;

		private boolean authentication;

		private BiFunction<Integer, Supplier<List<RealMember>>, SetNetwork> network = (count,
				members) -> SetNetwork.LOOPBACK;

		private boolean usualElections;

		private Function<Integer, Map<String, String>> environment = (member) -> Map.of();

		private final List<String> arguments = new ArrayList<>();

		private ServerLogs logs = ServerLogs.OF_THIS_JVM;

		private Builder(MongodBinary binary) {
			this.binary = binary;
		}

		/**
		 * Start a replica set.
		 * @param members the number of members, for example 1 or 3
		 * @return this builder
		 */
		public Builder replicaSet(int members) {
			if (members < 1) {
				throw new IllegalArgumentException("A replica set of " + members + " members: it needs one or more");
			}
			this.members = members;
			return this;
		}

		/**
		 * Let the replica set elect as slowly as with default settings: after 10 to 12
		 * seconds instead of 2.
		 * @return this builder
		 */
		public Builder usualElections() {
			this.usualElections = true;
			return this;
		}

		/**
		 * Admit only the user in the connection string. Members identify each other by a
		 * key file.
		 * @return this builder
		 */
		public Builder authentication() {
			this.authentication = true;
			return this;
		}

		/**
		 * Allow fail points ({@code enableTestCommands}).
		 * @return this builder
		 */
		public Builder testCommands() {
			return parameter("enableTestCommands", "1");
		}

		/**
		 * Set a parameter of all servers.
		 * @param name as for {@code setParameter}
		 * @param value its value
		 * @return this builder
		 */
		public Builder parameter(String name, String value) {
			this.arguments.addAll(List.of("--setParameter", name + "=" + value));
			return this;
		}

		/**
		 * Put proxies before all members of a set, so that they can be cut off from each
		 * other and from clients. Only Linux tells which process connects.
		 * @return this builder
		 * @throws UnsupportedOperationException on another system
		 */
		public Builder separable() {
			if (!ProxyNetwork.isPossible()) {
				throw new UnsupportedOperationException("Members can be cut off from each other on Linux only");
			}
			this.network = ProxyNetwork::new;
			return this;
		}

		/**
		 * Let members be cut off as if each were a separate machine. Each gets a network
		 * namespace, if this process may create them (as root of a Linux with {@code ip},
		 * {@code unshare} and {@code nsenter}). Otherwise they are {@link #separable()}.
		 * Cannot be used with {@link #authentication()}.
		 * @return this builder
		 * @throws UnsupportedOperationException on another system
		 */
		public Builder machines() {
			if (!NamespaceNetwork.isPossible()) {
				return separable();
			}
			this.network = (count, members) -> new NamespaceNetwork(count);
			return this;
		}

		/**
		 * Set environment variables of the servers, for example to preload a library with
		 * its own clock. They are asked for at every start of a member.
		 * @param environment the variables by the index of the member
		 * @return this builder
		 */
		public Builder environment(Function<Integer, Map<String, String>> environment) {
			this.environment = environment;
			return this;
		}

		Builder logs(ServerLogs logs) {
			this.logs = logs;
			return this;
		}

		/**
		 * Start the servers and wait until they answer. The members of a set must also
		 * agree on their primary.
		 * @return running servers
		 * @throws IllegalStateException if they do not start; the output says where their
		 * logs are
		 */
		public RealMongo start() {
			return new RealMongo(this);
		}

	}

}
