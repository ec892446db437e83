package io.mongolock.aspectj;

import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;

import io.mongolock.annotation.DistributedLock;
import io.mongolock.test.LockAssertions;
import io.mongolock.test.autoconfigure.AutoConfigureMongoLockTest;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for woven methods where not all of an application is configured.
 */
@SpringBootTest(classes = WovenSliceTests.Jobs.class, webEnvironment = SpringBootTest.WebEnvironment.NONE)
@AutoConfigureMongoLockTest
class WovenSliceTests {

	@Test
	void theirLocksAreThoseOfTheSlice(@Autowired Jobs jobs, @Autowired LockAssertions locks) {
		locks.assertThatLock("job").isTakenBy(jobs::run).isFree();
		locks.assertThatLock("job").isTakenBy(jobs::callsItself).isFree();
	}

	@Test
	void theAspectIsInEachSliceThatHasLocks() throws IOException {
		assertThat(imports("org.springframework.boot.data.mongodb.test.autoconfigure.AutoConfigureDataMongo")).contains(
				"io.mongolock.autoconfigure.MongoLockAutoConfiguration", LockAspectAutoConfiguration.class.getName());
	}

	private static List<String> imports(String annotation) throws IOException {
		List<String> found = new ArrayList<>();
		for (URL file : Collections
			.list(WovenSliceTests.class.getClassLoader().getResources("META-INF/spring/" + annotation + ".imports"))) {
			try (InputStream content = file.openStream()) {
				found.addAll(new String(content.readAllBytes(), StandardCharsets.UTF_8).lines().toList());
			}
		}
		return found;
	}

	static class Jobs {

		void callsItself() {
			run();
		}

		@DistributedLock("job")
		void run() {
		}

	}

}
