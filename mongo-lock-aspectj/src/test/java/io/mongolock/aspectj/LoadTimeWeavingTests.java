package io.mongolock.aspectj;

import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.aspectj.weaver.loadtime.Agent;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for load-time weaving: in a JVM with the agent, of classes that were not woven
 * before.
 */
@Tag("process")
class LoadTimeWeavingTests {

	@Test
	void theAgentWeavesByTheAopXmlOfTheLibrary() throws Exception {
		assertThat(run("-javaagent:" + fileOf(Agent.class))).contains("[acquire order:42, release order:42] 1 2");
	}

	@Test
	void anApplicationNarrowsItToItsOwnClasses(@TempDir Path application) throws Exception {
		Files.writeString(Files.createDirectory(application.resolve("META-INF")).resolve("aop.xml"),
				"<aspectj><weaver><include within=\"io.mongolock.interceptor..*\"/></weaver></aspectj>");
		assertThat(run("-javaagent:" + fileOf(Agent.class), application.toString()))
			.contains("[acquire order:42, release order:42] 1 2");
		Files.writeString(application.resolve("META-INF/aop.xml"),
				"<aspectj><weaver><include within=\"com.example..*\"/></weaver></aspectj>");
		assertThat(run("-javaagent:" + fileOf(Agent.class), application.toString())).contains("[] 0 1");
	}

	@Test
	void withoutItOnlyProxiesLock() throws Exception {
		assertThat(run("-ea")).contains("[] 0 1");
	}

	private static String run(String option, String... more) throws Exception {
		Process process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(), option,
				"-XX:TieredStopAtLevel=1", "-cp",
				Stream.concat(Stream.of(more), Stream.of(classpath())).collect(Collectors.joining(File.pathSeparator)),
				LoadTimeApplication.class.getName())
			.redirectErrorStream(true)
			.start();
		try {
			return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
		}
		finally {
			process.destroyForcibly().waitFor();
		}
	}

	// The contract's classes as they were before they were woven for the other tests
	private static String classpath() {
		String woven = fileOf(LoadTimeWeavingTests.class);
		return Stream
			.concat(Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
				.filter((entry) -> !new File(entry).getAbsolutePath().equals(woven)), Stream.of(woven))
			.collect(Collectors.joining(File.pathSeparator));
	}

	private static String fileOf(Class<?> type) {
		return new File(type.getProtectionDomain().getCodeSource().getLocation().getPath()).getAbsolutePath();
	}

}
