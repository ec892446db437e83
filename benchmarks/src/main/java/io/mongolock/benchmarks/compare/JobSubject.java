package io.mongolock.benchmarks.compare;

import java.util.List;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;

import com.mongodb.client.MongoClient;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.support.GenericApplicationContext;

/**
 * Instances that run jobs.
 */
interface JobSubject extends AutoCloseable {

	/** How many statements all instances have sent until now. */
	long statements();

	@Override
	void close();

	/**
	 * Start applications with {@code mongo-lock-jobs}.
	 * @param database a fresh one
	 * @param job a bean with methods, or which schedules jobs
	 * @param properties of the applications
	 */
	static JobSubject ours(String uri, String database, Begins begins, int instances, Class<?> job,
			String... properties) {
		return start(uri, begins, instances, (application) -> {
			application.sources(Application.class, job);
			application.properties("spring.application.name=jobs", "spring.mongodb.database=" + database);
			application.properties(properties);
		});
	}

	/**
	 * Start applications that count their statements.
	 * @param begins a bean
	 * @param what adds the sources
	 */
	static JobSubject start(String uri, Begins begins, int instances, Consumer<SpringApplicationBuilder> what) {
		CommandCount commands = new CommandCount();
		return new Applications(commands::get, IntStream.range(0, instances).mapToObj((instance) -> {
			SpringApplicationBuilder application = new SpringApplicationBuilder().web(WebApplicationType.NONE)
				.properties("spring.main.banner-mode=off", "logging.level.root=warn");
			what.accept(application);
			return application.initializers((context) -> {
				GenericApplicationContext beans = (GenericApplicationContext) context;
				beans.registerBean(MongoClient.class, () -> commands.connect(uri));
				beans.registerBean(Begins.class, () -> begins);
			}).run();
		}).toList());
	}

	/**
	 * What Spring Boot adds by itself.
	 */
	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	class Application {

	}

	/**
	 * Applications in this JVM.
	 *
	 * @param count the statements of all
	 * @param contexts one for each instance
	 */
	record Applications(LongSupplier count, List<ConfigurableApplicationContext> contexts) implements JobSubject {

		@Override
		public long statements() {
			return this.count.getAsLong();
		}

		@Override
		public void close() {
			this.contexts.forEach(ConfigurableApplicationContext::close);
		}

	}

}
