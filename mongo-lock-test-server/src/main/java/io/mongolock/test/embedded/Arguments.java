package io.mongolock.test.embedded;

/**
 * The arguments of {@link EmbeddedMongoMain}.
 *
 * @param port the port to listen on, 0 for any
 * @param bindAddress the address to listen on
 * @param upsertRace the behaviour in an upsert race
 * @param replicaSet whether to be a replica set
 */
record Arguments(int port, String bindAddress, UpsertRace upsertRace, boolean replicaSet) {

	private static final int DEFAULT_PORT = 27017;

	private static final int MAX_PORT = 65535;

	private static final String ALLOWED = "allowed are --port=0..65535, --bind=ADDRESS, "
			+ "--upsert-race=retry|client-error and --replica-set";

	/**
	 * Parse the arguments.
	 * @throws IllegalArgumentException if one of them is unknown or wrong
	 */
	static Arguments parse(String... args) {
		Arguments result = new Arguments(DEFAULT_PORT, "127.0.0.1", UpsertRace.RETRY, false);
		for (String arg : args) {
			result = result.with(arg);
		}
		return result;
	}

	private Arguments with(String arg) {
		if (arg.equals("--replica-set")) {
			return new Arguments(this.port, this.bindAddress, this.upsertRace, true);
		}
		String value = arg.substring(arg.indexOf('=') + 1);
		return switch (arg.substring(0, Math.max(0, arg.indexOf('=')))) {
			case "--port" -> new Arguments(port(arg, value), this.bindAddress, this.upsertRace, this.replicaSet);
			case "--bind" -> new Arguments(this.port, bindAddress(arg, value), this.upsertRace, this.replicaSet);
			case "--upsert-race" -> new Arguments(this.port, this.bindAddress, upsertRace(arg, value), this.replicaSet);
			default -> throw wrong(arg);
		};
	}

	private static int port(String arg, String value) {
		try {
			int port = Integer.parseInt(value);
			if (port >= 0 && port <= MAX_PORT) {
				return port;
			}
		}
		catch (NumberFormatException ex) {
			// Reported below
		}
		throw wrong(arg);
	}

	private static String bindAddress(String arg, String value) {
		if (value.isBlank()) {
			throw wrong(arg);
		}
		return value;
	}

	private static UpsertRace upsertRace(String arg, String value) {
		return switch (value) {
			case "retry" -> UpsertRace.RETRY;
			case "client-error" -> UpsertRace.CLIENT_ERROR;
			default -> throw wrong(arg);
		};
	}

	private static IllegalArgumentException wrong(String arg) {
		return new IllegalArgumentException("Wrong argument '" + arg + "': " + ALLOWED);
	}

	EmbeddedMongo.Builder toBuilder() {
		EmbeddedMongo.Builder builder = EmbeddedMongo.builder()
			.port(this.port)
			.bindAddress(this.bindAddress)
			.upsertRace(this.upsertRace);
		return this.replicaSet ? builder.replicaSet() : builder;
	}

}
