package io.mongolock.test.server;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link Docker}.
 */
class DockerTests {

	@TempDir
	private Path directory;

	@Test
	void withoutASocketAndAHostItIsNotHere() {
		assertThat(Docker.isHere(Map.of(), Stream.of(this.directory.resolve("docker.sock")))).isFalse();
		assertThat(Docker.isHere(Map.of("DOCKER_HOST", " "), Stream.empty())).isFalse();
	}

	@Test
	void aHostSaysThatItMayBeHere() {
		assertThat(Docker.isHere(Map.of("DOCKER_HOST", "tcp://localhost:2375"), Stream.empty())).isTrue();
	}

	@Test
	void anEngineWithoutRootAndDockerDesktopAreFound() throws IOException {
		Map<String, String> environment = Map.of("XDG_RUNTIME_DIR", this.directory.toString());
		Path home = this.directory.resolve("home");
		for (Path socket : new Path[] { this.directory.resolve("docker.sock"), home.resolve(".docker/run/docker.sock"),
				home.resolve(".docker/desktop/docker.sock") }) {
			Files.createDirectories(socket.getParent());
			Files.createFile(socket);
			assertThat(Docker.sockets(environment, home).filter(Files::exists)).containsExactly(socket);
			Files.delete(socket);
		}
	}

	@Test
	void theSocketOfTheServiceIsLookedAt() {
		assertThat(Docker.sockets(Map.of(), this.directory)).contains(Path.of("/var/run/docker.sock"));
	}

}
