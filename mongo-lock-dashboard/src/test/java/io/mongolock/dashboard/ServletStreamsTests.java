package io.mongolock.dashboard;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.mockito.Answers;
import org.springframework.web.servlet.function.ServerResponse.SseBuilder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.mockito.ArgumentMatchers.anyString;
import static org.mockito.BDDMockito.then;
import static org.mockito.BDDMockito.willAnswer;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;

/**
 * Tests for {@link ServletStreams}.
 */
class ServletStreamsTests {

	private final ServletStreams streams = new ServletStreams(mock(ActivitySource.class, Answers.RETURNS_MOCKS));

	@Test
	void aStreamIsCompletedOnceByItsOwnThreadWhichAloneWritesToIt() {
		List<String> completing = Collections.synchronizedList(new ArrayList<>());
		SseBuilder stream = mock(SseBuilder.class, Answers.RETURNS_SELF);
		willAnswer((call) -> completing.add(Thread.currentThread().getName())).given(stream).complete();
		this.streams.start();
		this.streams.join(stream);
		this.streams.stop();
		await().atMost(Duration.ofSeconds(60)).until(() -> !completing.isEmpty());
		assertThat(completing).containsExactly("mongo-lock-dashboard");
	}

	@Test
	void noMoreViewersBeginThanThereAreThreadsForThoughAllAskAtOnce() throws IOException {
		this.streams.start();
		List<SseBuilder> joined = new ArrayList<>();
		for (int viewer = 0; viewer <= ServletStreams.MAX_VIEWERS; viewer++) {
			SseBuilder stream = mock(SseBuilder.class, Answers.RETURNS_SELF);
			this.streams.join(stream);
			joined.add(stream);
		}
		SseBuilder last = joined.remove(ServletStreams.MAX_VIEWERS);
		then(last).should().complete();
		then(last).should(never()).event(anyString());
		joined.forEach((stream) -> then(stream).should(never()).complete());
		this.streams.stop();
	}

}
