package io.mongolock.sample.orders;

import java.io.IOException;
import java.io.OutputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServletRequest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.data.mongodb.core.MongoTemplate;

import io.mongolock.store.LockStore;
import io.mongolock.test.embedded.EmbeddedMongo;
import io.mongolock.test.server.SuiteServer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Two instances under load are stopped and replaced, one after the other, as at a
 * deployment: the web server waits for the requests that it has, and the locks for those.
 */
@Tag("application")
class GracefulStopTests {

	/** How many instances are stopped and replaced. */
	private static final int ROUNDS = Integer.getInteger("deployments", 2);

	private static final Duration PATIENCE = Duration.ofMinutes(1);

	private static final List<String> ORDERS = List.of("10101", "10102", "10103");

	private static final int AMOUNT = 7;

	/** Longer than what comes between the end of the web server and that of the locks. */
	private static final String PAYMENT = "{\"amount\": " + AMOUNT + ", \"takes\": 0.3}";

	private final List<Instance> instances = new CopyOnWriteArrayList<>();

	private final AtomicBoolean over = new AtomicBoolean();

	/** What the server has begun, and what its clients have an answer to. */
	private final AtomicInteger accepted = new AtomicInteger();

	private final AtomicInteger paid = new AtomicInteger();

	private final ConcurrentLinkedQueue<Integer> refusals = new ConcurrentLinkedQueue<>();

	@Test
	void eachRequestOfAnInstanceThatEndsIsPaidOnceAndLeavesNoLock() throws Exception {
		EmbeddedMongo embedded = EmbeddedMongo.builder().replicaSet().start();
		try {
			String uri = SuiteServer.get().uri().orElseGet(embedded::connectionString);
			this.instances.add(new Instance(uri, this.accepted));
			await().atMost(PATIENCE).until(() -> this.instances.get(0).orders().existsById("10103"));
			this.instances.add(new Instance(uri, this.accepted));
			long before = balance();
			List<Thread> load = IntStream.range(0, 4 * ORDERS.size()).mapToObj(this::pays).toList();
			load.forEach(Thread::start);
			for (int i = 0; i < ROUNDS; i++) {
				Instance ends = this.instances.get(0);
				int begun = ends.begun.get();
				await().atMost(PATIENCE).until(() -> ends.begun.get() > begun + ORDERS.size());
				// Nobody begins a request there any more, as behind a load balancer
				this.instances.remove(ends);
				ends.context.close();
				assertThat(holders()).as("held by an instance that has ended").doesNotContain(ends.name);
				this.instances.add(new Instance(uri, this.accepted));
			}
			this.over.set(true);
			for (Thread one : load) {
				one.join();
			}
			assertThat(this.refusals).isEmpty();
			assertThat(this.paid).as("answered").hasValue(this.accepted.get());
			assertThat(before - balance()).as("paid").isEqualTo((long) AMOUNT * this.paid.get());
			assertThat(holders()).isEmpty();
			this.instances.get(0).context.getBean(MongoTemplate.class).getDb().drop();
		}
		finally {
			this.over.set(true);
			this.instances.forEach((instance) -> instance.context.close());
			embedded.close();
		}
	}

	private Thread pays(int number) {
		return new Thread(() -> {
			while (!this.over.get()) {
				List<Instance> open = List.copyOf(this.instances);
				pay(open.get(number % open.size()), ORDERS.get(number % ORDERS.size()));
			}
		}, "pays-" + number);
	}

	private void pay(Instance instance, String order) {
		instance.begun.incrementAndGet();
		try {
			int status = instance.pay(order);
			if (status == HttpURLConnection.HTTP_OK) {
				this.paid.incrementAndGet();
			}
			else {
				this.refusals.add(status);
			}
		}
		catch (IOException ex) {
			// It came so late that there was no server any more, or it is missed below
		}
	}

	private long balance() {
		return ORDERS.stream()
			.mapToLong((order) -> this.instances.get(0).orders().findById(order).orElseThrow().balance())
			.sum();
	}

	private List<String> holders() {
		return this.instances.get(0).context.getBean(LockStore.class)
			.list(100, Duration.ofSeconds(10))
			.stream()
			.flatMap((lock) -> lock.liveHolders().stream())
			.map((holder) -> holder.owner().application())
			.toList();
	}

	private static final class Instance {

		private static final AtomicInteger COUNT = new AtomicInteger();

		private final String name = "instance-" + COUNT.incrementAndGet();

		private final AtomicInteger begun = new AtomicInteger();

		private final ConfigurableApplicationContext context;

		private Instance(String uri, AtomicInteger accepted) {
			List<String> settings = new ArrayList<>(
					List.of("--server.port=0", "--spring.mongodb.uri=" + uri, "--spring.mongodb.database=graceful_stop",
							"--spring.application.name=" + this.name, "--server.shutdown=graceful"));
			this.context = new SpringApplicationBuilder(OrderServiceApplication.class).registerShutdownHook(false)
				.initializers((context) -> context.getBeanFactory()
					.registerSingleton("counts", (Filter) (request, response, chain) -> {
						if (((HttpServletRequest) request).getRequestURI().endsWith("/payments")) {
							accepted.incrementAndGet();
						}
						chain.doFilter(request, response);
					}))
				.run(settings.toArray(String[]::new));
		}

		private OrderRepository orders() {
			return this.context.getBean(OrderRepository.class);
		}

		private int pay(String order) throws IOException {
			String port = this.context.getEnvironment().getProperty("local.server.port");
			HttpURLConnection request = (HttpURLConnection) URI
				.create("http://127.0.0.1:" + port + "/orders/" + order + "/payments")
				.toURL()
				.openConnection();
			request.setRequestMethod("POST");
			request.setRequestProperty("Content-Type", "application/json");
			request.setRequestProperty("Connection", "close");
			request.setDoOutput(true);
			try (OutputStream body = request.getOutputStream()) {
				body.write(PAYMENT.getBytes(StandardCharsets.UTF_8));
			}
			return request.getResponseCode();
		}

	}

}
