package io.mongolock.test.server;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.mongolock.test.server.MongodBinary.Search;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for {@link MongodBinary}.
 */
@DisabledOnOs(OS.WINDOWS)
class MongodBinaryTests {

	@TempDir
	private Path directory;

	@ParameterizedTest
	@CsvSource({ "4.4.0, false", "4.2.24, true", "3.6.8, true", "10.0.1, false", "8.0.0-rc3, false" })
	void theOldestThatIsTakenIs44(String version, boolean tooOld) {
		assertThat(new MongodBinary(this.directory, version).isTooOld()).isEqualTo(tooOld);
	}

	@Test
	void theFirstOnThePathThatIsNotTooOldIsFound() throws IOException {
		Path old = mongod("old", "3.6.8");
		Path good = mongod("good", "5.0.4");
		mongod("better", "6.0.27");
		Search search = Search.of("", path("none") + ":" + path("old") + ":" + path("good") + ":" + path("better"));
		assertThat(search.found()).contains(new MongodBinary(good, "5.0.4"));
		assertThat(search.named()).isFalse();
		assertThat(search.remark()).contains("older than 4.4: mongod 3.6.8 (" + old + ")");
		assertThat(Search.of(null, null).found()).isEmpty();
	}

	@Test
	void theOneThatIsNamedCountsMoreThanThePath() throws IOException {
		mongod("path", "5.0.4");
		Path named = mongod("named", "6.0.27");
		Search search = Search.of(named.toString(), path("path"));
		assertThat(search.found()).contains(new MongodBinary(named, "6.0.27"));
		assertThat(search.named()).isTrue();
	}

	@Test
	void aNameThatCannotBeUsedIsRefused() throws IOException {
		Path old = mongod("old", "4.2.24");
		assertThatIllegalStateException().isThrownBy(() -> Search.of(old.toString(), null))
			.withMessageContaining("MONGO_LOCK_TEST_MONGOD names a mongod 4.2.24")
			.withMessageContaining("4.4 or later");
		assertThatIllegalStateException().isThrownBy(() -> Search.of(path("none"), null))
			.withMessageContaining("no mongod that can be run");
		assertThatIllegalStateException().isThrownBy(() -> Search.of("/bin/ls", null))
			.withMessageContaining("no mongod that can be run");
	}

	private String path(String folder) {
		return this.directory.resolve(folder).toString();
	}

	private Path mongod(String folder, String version) throws IOException {
		Path file = Files.createDirectory(this.directory.resolve(folder)).resolve("mongod");
		Files.writeString(file, "#!/bin/sh\necho 'db version v" + version + "'\n");
		assertThat(file.toFile().setExecutable(true)).isTrue();
		return file;
	}

}
