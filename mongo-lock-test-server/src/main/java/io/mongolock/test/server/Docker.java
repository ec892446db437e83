package io.mongolock.test.server;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.mongodb.MongoDBContainer;

/**
 * Docker on this machine, through Testcontainers. A module that uses this class must have
 * Testcontainers on its class path. Thread-safe.
 */
public final class Docker {

	/** Names the image, as environment variable or system property. */
	public static final String NAME = "MONGO_LOCK_TEST_IMAGE";

	// The image of a release whose answers were recorded
	private static final String DEFAULT_IMAGE = "mongo:5.0.7";

	private Docker() {
	}

	/**
	 * Whether Docker answers. If there is no sign of Docker, which takes milliseconds to
	 * check, Testcontainers is not asked. It would take seconds and write pages of log.
	 * @return {@code true} if containers can be started
	 */
	public static boolean answers() {
		return isHere(System.getenv(), sockets(System.getenv(), Path.of(System.getProperty("user.home"))))
				&& DockerClientFactory.instance().isDockerAvailable();
	}

	/**
	 * The image of the servers that tests start. {@value #NAME} names it; the default is
	 * {@code mongo:5.0.7}.
	 * @return its name and tag, for example {@code mongo:8.0}
	 */
	public static String image() {
		return Image.ofThisMachine().name();
	}

	static boolean isHere(Map<String, String> environment, Stream<Path> sockets) {
		return !environment.getOrDefault("DOCKER_HOST", "").isBlank() || sockets.anyMatch(Files::exists);
	}

	// The sockets of an engine without root, as a service, and on a desktop
	static Stream<Path> sockets(Map<String, String> environment, Path home) {
		Stream<Path> rootless = Stream.ofNullable(environment.get("XDG_RUNTIME_DIR"))
			.map((directory) -> Path.of(directory, "docker.sock"));
		return Stream.concat(rootless,
				Stream.of(Path.of("/var/run/docker.sock"), home.resolve(".docker/run/docker.sock"),
						home.resolve(".docker/desktop/docker.sock"), Path.of("//./pipe/docker_engine")));
	}

	// Has one member, which Testcontainers removes when this JVM ends. Clients connect
	// directly, because the member's own name is unknown outside of its container
	@SuppressWarnings("resource")
	static String startReplicaSet(Image image) {
		MongoDBContainer container = new MongoDBContainer(image.name()).withReplicaSet();
		container.start();
		return container.getConnectionString() + "/?directConnection=true";
	}

	/**
	 * The image of a container.
	 *
	 * @param name its name and tag
	 * @param named whether {@value Docker#NAME} names it, so that no other server will do
	 */
	record Image(String name, boolean named) {

		static Image ofThisMachine() {
			return of(System.getProperty(NAME, System.getenv(NAME)));
		}

		static Image of(@Nullable String given) {
			return (given != null && !given.isBlank()) ? new Image(given.strip(), true)
					: new Image(DEFAULT_IMAGE, false);
		}

	}

}
