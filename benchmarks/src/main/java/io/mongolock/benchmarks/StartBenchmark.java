package io.mongolock.benchmarks;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.function.ToDoubleFunction;
import java.util.spi.ToolProvider;
import java.util.stream.Collectors;

import com.mongodb.client.MongoClient;
import com.sun.management.OperatingSystemMXBean;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.provider.mongo.MongoLockProvider;
import net.javacrumbs.shedlock.spring.annotation.EnableSchedulerLock;
import net.javacrumbs.shedlock.spring.annotation.SchedulerLock;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.util.FileSystemUtils;

import io.mongolock.annotation.DistributedLock;

/**
 * What the start of an application costs that has Spring Data MongoDB and one guarded
 * method: from the start of its JVM until it is ready. Each start is a process of its
 * own, in turns with the others and in another order each. What a start has more is the
 * median of its differences to the start without a lock of the same round. On a machine
 * that does other work, too, the processor time and the counts say the most. Runs on a
 * {@link MeasuredServer}. Arguments: rounds (9), and {@code reactive} to leave Reactor
 * and RxJava on the class path, as an application with WebFlux has them.
 */
public final class StartBenchmark {

	private static final String READY = "ready ";

	private static final int WARM_UP = 1;

	private StartBenchmark() {
	}

	public static void main(String[] args) throws IOException {
		List<String> arguments = List.of(args);
		boolean reactive = arguments.contains("reactive");
		int rounds = arguments.stream()
			.filter((one) -> !one.equals("reactive"))
			.findFirst()
			.map(Integer::parseInt)
			.orElse(9);
		Path jars = Files.createTempDirectory("mongo-lock-start");
		try (MeasuredServer server = MeasuredServer.start()) {
			report(measure(server.uri(), rounds, (reactive) ? packed(jars) : withoutReactive(packed(jars))), rounds);
		}
		finally {
			FileSystemUtils.deleteRecursively(jars);
		}
	}

	// As users have them: each directory before the jars costs every class of an
	// application a look at the disk
	private static List<String> packed(Path jars) {
		ToolProvider jar = ToolProvider.findFirst("jar").orElseThrow();
		List<String> packed = new ArrayList<>();
		for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
			Path classes = Path.of(entry);
			if (Files.isDirectory(classes)) {
				String module = entry.replaceFirst("[/\\\\]target[/\\\\]classes$", "").replaceFirst(".*[/\\\\]", "");
				entry = jars.resolve(module + ".jar").toString();
				if (jar.run(System.err, System.err, "--create", "--file", entry, "-C", classes.toString(), ".") != 0) {
					throw new IllegalStateException("There is no jar of " + classes);
				}
			}
			packed.add(entry);
		}
		return packed;
	}

	private static List<String> withoutReactive(List<String> classPath) {
		return classPath.stream().filter((entry) -> !entry.matches(Subject.jar("reactor-core|rxjava"))).toList();
	}

	private static List<List<Start>> measure(String uri, int rounds, List<String> classPath) throws IOException {
		List<List<Start>> measured = new ArrayList<>();
		List<Subject> order = new ArrayList<>(List.of(Subject.values()));
		Random random = new Random(1);
		for (int round = -WARM_UP; round < rounds; round++) {
			Collections.shuffle(order, random);
			Start[] starts = new Start[order.size()];
			for (Subject subject : order) {
				starts[subject.ordinal()] = start(subject, uri, classPath);
			}
			if (round >= 0) {
				measured.add(List.of(starts));
			}
		}
		return measured;
	}

	private static Start start(Subject subject, String uri, List<String> classPath) throws IOException {
		List<String> command = new ArrayList<>(List.of(
				Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-cp", subject.of(classPath),
				Application.class.getName(), subject.configuration, "--spring.mongodb.uri=" + uri,
				"--spring.mongodb.database=start", "--logging.level.root=warn", "--spring.main.banner-mode=off"));
		command.addAll(subject.settings);
		long begun = System.nanoTime();
		Process process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
		try (BufferedReader output = process.inputReader()) {
			String[] figures = output.lines()
				.filter((line) -> line.startsWith(READY))
				.findFirst()
				.orElseThrow(() -> new IllegalStateException("The application '" + subject.title + "' did not start"))
				.substring(READY.length())
				.split(" ");
			return new Start((System.nanoTime() - begun) / 1e6, Double.parseDouble(figures[0]),
					Double.parseDouble(figures[1]), Double.parseDouble(figures[2]), Double.parseDouble(figures[3]));
		}
		finally {
			process.destroy();
		}
	}

	private static void report(List<List<Start>> measured, int rounds) {
		Table table = new Table("What a start costs, median of " + rounds, "an application with",
				"ms until it is ready", "more", "ms of its main thread", "more", "ms of all threads", "more", "classes",
				"more", "beans", "more");
		for (Subject subject : Subject.values()) {
			List<Object> cells = new ArrayList<>(List.of(subject.title));
			for (ToDoubleFunction<Start> figure : List.<ToDoubleFunction<Start>>of(Start::millis, Start::mainMillis,
					Start::cpuMillis, Start::classes, Start::beans)) {
				cells.add(median(measured, (round) -> figure.applyAsDouble(round.get(subject.ordinal()))));
				cells.add(median(measured, (round) -> figure.applyAsDouble(round.get(subject.ordinal()))
						- figure.applyAsDouble(round.get(Subject.NONE.ordinal()))));
			}
			table.add(cells.toArray());
		}
		System.out.print(table.toMarkdown());
	}

	private static double median(List<List<Start>> measured, ToDoubleFunction<List<Start>> figure) {
		return Turns.median(measured.stream().mapToDouble(figure).toArray());
	}

	/**
	 * What an application has.
	 */
	private enum Subject {

		NONE("no lock", "Plain", "mongo-lock-|shedlock-"),

		PROXY("a proxy of Spring's, `@EnableAsync`", "WithAsync", "mongo-lock-|shedlock-"),

		SHEDLOCK("ShedLock 7.9", "WithShedLock", "mongo-lock-"),

		STARTER("the starter", "WithLock", "shedlock-"),

		WITHOUT_DOCUMENTS("the starter without documents", "WithLock",
				"mongo-lock-data|mongo-lock-documents|shedlock-"),

		DISABLED("the starter, `enabled=false`", "WithLock", "shedlock-", "--mongo-lock.enabled=false",
				"--logging.level.io.mongolock=error");

		/** What the benchmarks need beside an application with Spring Data MongoDB. */
		private static final String OF_BENCHMARKS = "mongo-lock-test|mongo-lock-jobs|db-scheduler|h2-|redisson|netty-|micrometer-core|kryo|objenesis|"
				+ "minlog|reflectasm|jboss-marshalling|jodd|byte-buddy|jackson-|HdrHistogram|LatencyUtils|cache-api";

		private final String title;

		private final String configuration;

		private final String missing;

		private final List<String> settings;

		Subject(String title, String configuration, String missing, String... settings) {
			this.title = title;
			this.configuration = configuration;
			this.missing = missing;
			this.settings = List.of(settings);
		}

		private String of(List<String> classPath) {
			return classPath.stream()
				.filter((entry) -> !entry.matches(jar(this.missing + "|" + OF_BENCHMARKS)))
				.collect(Collectors.joining(File.pathSeparator));
		}

		private static String jar(String names) {
			return ".*[/\\\\](" + names + ")[^/\\\\]*";
		}

	}

	/**
	 * One start.
	 *
	 * @param millis from the start of the process until it is ready
	 * @param mainMillis processor time of its main thread
	 * @param cpuMillis processor time of all its threads
	 * @param classes how many it has loaded
	 * @param beans how many it has made
	 */
	private record Start(double millis, double mainMillis, double cpuMillis, double classes, double beans) {

	}

	/**
	 * The application. The names of the configurations are chosen so that no other is
	 * loaded.
	 */
	public static final class Application {

		private Application() {
		}

		public static void main(String[] args) throws ClassNotFoundException {
			ConfigurableApplicationContext context = SpringApplication.run(
					Class.forName(StartBenchmark.class.getName() + "$" + args[0]),
					Arrays.copyOfRange(args, 1, args.length));
			context.getBean(MongoClient.class);
			double main = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() / 1e6;
			double all = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getProcessCpuTime() / 1e6;
			System.out.println(READY + main + " " + all + " "
					+ ManagementFactory.getClassLoadingMXBean().getTotalLoadedClassCount() + " "
					+ context.getBeanFactory().getSingletonCount());
			Runtime.getRuntime().halt(0);
		}

	}

	/**
	 * Without a lock.
	 */
	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Plain {

		@Bean
		Work work() {
			return new Work();
		}

		static class Work {

			void run(long id) {
			}

		}

	}

	/**
	 * With a method that Spring itself intercepts.
	 */
	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@EnableAsync
	public static class WithAsync {

		@Bean
		Work work() {
			return new Work();
		}

		public static class Work {

			@Async
			public void run(long id) {
			}

		}

	}

	/**
	 * As its documentation shows it.
	 */
	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@EnableSchedulerLock(defaultLockAtMostFor = "30s")
	public static class WithShedLock {

		@Bean
		LockProvider lockProvider(MongoClient client) {
			return new MongoLockProvider(client.getDatabase("start"));
		}

		@Bean
		Work work() {
			return new Work();
		}

		public static class Work {

			@SchedulerLock(name = "work")
			public void run() {
			}

		}

	}

	/**
	 * With a method that is guarded.
	 */
	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	public static class WithLock {

		@Bean
		Work work() {
			return new Work();
		}

		public static class Work {

			@DistributedLock(key = "#id")
			public void run(long id) {
			}

		}

	}

}
