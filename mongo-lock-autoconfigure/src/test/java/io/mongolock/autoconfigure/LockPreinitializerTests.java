package io.mongolock.autoconfigure;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.mockito.BDDMockito;
import org.springframework.boot.autoconfigure.preinitialize.BackgroundPreinitializer;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.aot.AbstractAotProcessor;
import org.springframework.core.io.support.SpringFactoriesLoader;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LockPreinitializer}.
 */
@ExtendWith(OutputCaptureExtension.class)
class LockPreinitializerTests {

	@Test
	void bootFindsItAndItEndsInSilence(CapturedOutput output) {
		assertThat(SpringFactoriesLoader.forDefaultResourceLocation().load(BackgroundPreinitializer.class))
			.filteredOn(LockPreinitializer.class::isInstance)
			.singleElement()
			.satisfies(BackgroundPreinitializer::preinitialize);
		assertThat(output).isEmpty();
	}

	@Test
	void anApplicationThatIsProcessedAheadOfTimeGetsNoProxyOfIt() {
		LockPreinitializer preinitializer = BDDMockito.spy(new LockPreinitializer());
		System.setProperty(AbstractAotProcessor.AOT_PROCESSING, "true");
		try {
			preinitializer.preinitialize();
		}
		finally {
			System.clearProperty(AbstractAotProcessor.AOT_PROCESSING);
		}
		BDDMockito.then(preinitializer).should(BDDMockito.never()).makeLockedBean();
		preinitializer.preinitialize();
		BDDMockito.then(preinitializer).should().makeLockedBean();
	}

}
