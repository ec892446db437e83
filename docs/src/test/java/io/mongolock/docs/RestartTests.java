package io.mongolock.docs;

import java.time.Duration;
import java.util.Set;
import java.util.stream.Collectors;

import com.example.shop.Order;
import com.example.shop.OrderService;
import com.example.shop.ShopApplication;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.OverridingClassLoader;
import org.springframework.data.mongodb.core.MongoTemplate;
import org.springframework.util.ClassUtils;

import io.mongolock.test.embedded.EmbeddedMongo;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The application of docs/getting-started.md is restarted as DevTools does: in the same
 * JVM, with its own classes loaded anew and those of the libraries as they were.
 */
class RestartTests {

	private final Set<Thread> before = threads();

	@Test
	void afterARestartTheLocksWorkAndNoThreadIsLeft() throws Exception {
		try (EmbeddedMongo server = EmbeddedMongo.start()) {
			Class<?> first = runInAClassLoaderOfItsOwn(server, 1000, 990);
			Class<?> second = runInAClassLoaderOfItsOwn(server, 990, 980);
			assertThat(second).isNotSameAs(first);
		}
		Awaitility.await().atMost(Duration.ofMinutes(1)).untilAsserted(() -> assertThat(left()).isEmpty());
	}

	private static Class<?> runInAClassLoaderOfItsOwn(EmbeddedMongo server, long open, long left) throws Exception {
		ClassLoader usual = Thread.currentThread().getContextClassLoader();
		ClassLoader anew = new ApplicationClassLoader(usual);
		Thread.currentThread().setContextClassLoader(anew);
		try (ConfigurableApplicationContext context = start(anew, server)) {
			Class<?> service = anew.loadClass(OrderService.class.getName());
			Object order = anew.loadClass(Order.class.getName())
				.getConstructor(String.class, long.class)
				.newInstance("7", open);
			context.getBean(MongoTemplate.class).save(order);
			Object paid = service.getMethod("pay", String.class, long.class).invoke(context.getBean(service), "7", 10);
			assertThat(paid).hasToString(new Order("7", left).toString());
			return ClassUtils.getUserClass(context.getBean(service));
		}
		finally {
			Thread.currentThread().setContextClassLoader(usual);
		}
	}

	private static ConfigurableApplicationContext start(ClassLoader loader, EmbeddedMongo server) throws Exception {
		return SpringApplication.run(loader.loadClass(ShopApplication.class.getName()),
				new String[] { "--spring.mongodb.uri=" + server.connectionString() + "/shop" });
	}

	private Set<String> left() {
		return threads().stream()
			.filter((thread) -> !this.before.contains(thread))
			.map(Thread::getName)
			.collect(Collectors.toSet());
	}

	private static Set<Thread> threads() {
		return Thread.getAllStackTraces()
			.keySet()
			.stream()
			.filter((thread) -> thread.getName().startsWith("mongo-lock-") || thread.getName().startsWith("cluster-"))
			.filter((thread) -> !thread.getName().startsWith("mongo-lock-embedded"))
			.collect(Collectors.toSet());
	}

	/** The classes of the application are its own, all others those of its parent. */
	private static final class ApplicationClassLoader extends OverridingClassLoader {

		ApplicationClassLoader(ClassLoader parent) {
			super(parent);
		}

		@Override
		protected boolean isEligibleForOverriding(String className) {
			return className.startsWith("com.example.shop.");
		}

		// Nor those that Spring Data made for another test's
		@Override
		protected Class<?> loadClassForOverriding(String name) throws ClassNotFoundException {
			Class<?> loaded = super.loadClassForOverriding(name);
			if (loaded == null) {
				throw new ClassNotFoundException(name);
			}
			return loaded;
		}

	}

}
