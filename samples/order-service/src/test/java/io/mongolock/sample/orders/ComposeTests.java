package io.mongolock.sample.orders;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import org.bson.Document;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.mockito.BDDMockito;
import org.mockito.Mockito;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.boot.docker.compose.core.ConnectionPorts;
import org.springframework.boot.docker.compose.core.DockerException;
import org.springframework.boot.docker.compose.core.ImageReference;
import org.springframework.boot.docker.compose.core.RunningService;
import org.springframework.boot.docker.compose.lifecycle.DockerComposeServicesReadyEvent;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ApplicationListener;
import org.springframework.context.event.SimpleApplicationEventMulticaster;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.core.io.support.SpringFactoriesLoader;
import org.springframework.data.mongodb.core.MongoTemplate;
import org.springframework.test.context.ContextConfiguration;
import org.yaml.snakeyaml.Yaml;

import io.mongolock.LockHandle;
import io.mongolock.LockOperations;
import io.mongolock.LockRequest;
import io.mongolock.sample.orders.server.MongoServer;
import io.mongolock.test.embedded.EmbeddedMongo;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What compose.yaml says, and that the locks are on the server that Docker Compose would
 * start: Spring Boot learns that the service of the file runs, and an embedded server
 * answers in its place.
 */
@Tag("application")
@SpringBootTest
@ContextConfiguration(initializers = ComposeTests.Started.class)
class ComposeTests {

	@Autowired
	private EmbeddedMongo inItsPlace;

	@Autowired
	private MongoServer server;

	@Autowired
	private LockOperations locks;

	@Autowired
	private MongoTemplate mongo;

	@Test
	void theLocksAreOnTheServerOfTheFile() {
		assertThat(this.server).hasToString("the configured MongoDB server 127.0.0.1:" + this.inItsPlace.port());
		try (LockHandle held = this.locks.acquire(LockRequest.of("composed"))) {
			assertThat(held.isHeld()).isTrue();
			assertThat(this.mongo.getDb().getName()).isEqualTo("orders");
			assertThat(this.mongo.getCollection("locks").find(new Document("_id", "composed"))).hasSize(1);
		}
	}

	@Test
	void theHealthCheckInitiatesTheReplicaSetOfTheFile() {
		List<?> command = (List<?>) service().get("command");
		Object name = command.get(command.indexOf("--replSet") + 1);
		Object test = ((Map<?, ?>) service().get("healthcheck")).get("test");
		assertThat(test).asString()
			.contains("if (!hello.setName) { rs.initiate({ _id: '" + name + "', members: [")
			.contains("host: '127.0.0.1:27017'")
			.doesNotContain("\n")
			.endsWith("quit(hello.isWritablePrimary ? 0 : 1)\"");
	}

	@Test
	void whereDockerDoesNotAnswerItIsSaidWhatToDo() {
		DockerException failure = new DockerException("Docker is not running") {
		};
		List<String> said = SpringFactoriesLoader.forDefaultResourceLocation()
			.load(FailureAnalyzer.class, (type, name, ex) -> {
			})
			.stream()
			.map((analyzer) -> analyzer.analyze(failure))
			.filter(Objects::nonNull)
			.map(FailureAnalysis::getAction)
			.toList();
		assertThat(said).singleElement().asString().contains("Start Docker", "embedded server", "spring.mongodb.uri");
	}

	private static Map<?, ?> service() {
		try {
			Map<?, Map<?, Map<?, ?>>> file = new Yaml().load(Files.readString(Path.of("compose.yaml")));
			Map<?, Map<?, ?>> services = Objects.requireNonNull(file.get("services"));
			assertThat(services).hasSize(1);
			return services.values().iterator().next();
		}
		catch (IOException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * Does as Docker Compose when it has started the services of the file.
	 */
	static class Started implements ApplicationContextInitializer<GenericApplicationContext> {

		@Override
		public void initialize(GenericApplicationContext context) {
			EmbeddedMongo inItsPlace = EmbeddedMongo.builder().replicaSet().start();
			context.registerBean(EmbeddedMongo.class, () -> inItsPlace);
			RunningService running = running(inItsPlace.port());
			DockerComposeServicesReadyEvent event = Mockito.mock(DockerComposeServicesReadyEvent.class);
			BDDMockito.given(event.getSource()).willReturn(context);
			BDDMockito.given(event.getRunningServices()).willReturn(List.of(running));
			SimpleApplicationEventMulticaster multicaster = new SimpleApplicationEventMulticaster();
			SpringFactoriesLoader.loadFactories(ApplicationListener.class, getClass().getClassLoader())
				.forEach(multicaster::addApplicationListener);
			multicaster.multicastEvent(event);
		}

		@SuppressWarnings("unchecked")
		private static RunningService running(int port) {
			List<String> ports = (List<String>) service().get("ports");
			ConnectionPorts published = Mockito.mock(ConnectionPorts.class);
			BDDMockito.given(published.get(Integer.parseInt(ports.get(0).replaceAll(".*:", "")))).willReturn(port);
			RunningService running = Mockito.mock(RunningService.class);
			BDDMockito.given(running.name()).willReturn("mongodb");
			BDDMockito.given(running.image()).willReturn(ImageReference.of(service().get("image").toString()));
			BDDMockito.given(running.host()).willReturn("127.0.0.1");
			BDDMockito.given(running.ports()).willReturn(published);
			BDDMockito.given(running.env()).willReturn((Map<String, String>) service().get("environment"));
			return running;
		}

	}

}
