package io.mongolock.sample.desk;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

import com.mongodb.WriteConcern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.boot.webmvc.test.autoconfigure.AutoConfigureMockMvc;
import org.springframework.context.annotation.Bean;
import org.springframework.data.mongodb.core.MongoTemplate;
import org.springframework.http.MediaType;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.test.web.servlet.assertj.MvcTestResult;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the application, on an embedded server whose clock is set forward instead of
 * waiting for the end of a time.
 */
@Tag("application")
@SpringBootTest
@AutoConfigureMockMvc
class EditDeskApplicationTests {

	private static final Duration EDITING_TIME = Duration.ofSeconds(20);

	private static final JsonMapper JSON = new JsonMapper();

	@Autowired
	private MockMvcTester mvc;

	@Autowired
	private MongoTemplate mongo;

	@Autowired
	private SteppingClock clock;

	@AfterEach
	void nobodyEdits() {
		this.clock.step(EDITING_TIME);
	}

	@Test
	void oneAtATimeEditsAndTheOthersSeeWho() {
		JsonNode anna = read(edit("Anna"));
		assertThat(edit("Ben")).hasStatus(423);
		JsonNode holder = desk().get("holder");
		assertThat(holder.get("name").asString()).isEqualTo("Anna");
		assertThat(holder.get("fence")).isEqualTo(anna.get("fence"));
		assertThat(holder.get("millis").asLong()).isBetween(1L, EDITING_TIME.toMillis());
		assertThat(save(anna, "By Anna")).hasStatusOk();
		assertThat(desk().get("article").get("title").asString()).isEqualTo("By Anna");
		assertThat(desk().get("holder").isNull()).as("released by the save").isTrue();
	}

	@Test
	void whoseTimeIsOverIsTakenOverAndHisSaveIsRefusedWithWhatStandsThere() {
		JsonNode anna = read(edit("Anna"));
		this.clock.step(EDITING_TIME);
		assertThat(desk().get("holder").get("millis").asLong()).isZero();
		JsonNode ben = read(edit("Ben"));
		assertThat(desk().get("holder").get("name").asString()).isEqualTo("Ben");
		assertThat(send("/article/heartbeat", ticket(anna))).hasStatus(423);
		assertThat(save(ben, "By Ben")).hasStatusOk();
		MvcTestResult late = save(anna, "By Anna");
		assertThat(late).hasStatus(423);
		assertThat(read(late).get("theirs").get("title").asString()).isEqualTo("By Ben");
		assertThat(desk().get("article").get("title").asString()).isEqualTo("By Ben");
	}

	@Test
	void aChangeInTheBackgroundIsShownAndNoTextIsLost() {
		JsonNode anna = read(edit("Anna"));
		assertThat(send("/article/review", "")).hasStatusOk();
		assertThat(send("/article/heartbeat", ticket(anna))).as("Anna still has the lock").hasStatusOk();
		MvcTestResult late = save(anna, "By Anna");
		assertThat(late).hasStatus(409);
		JsonNode changed = read(late);
		assertThat(changed.get("theirs").get("text").asString()).endsWith("Reviewed.");
		assertThat(desk().get("article").get("text").asString()).endsWith("Reviewed.");
		assertThat(desk().get("holder").get("name").asString()).as("still").isEqualTo("Anna");
		assertThat(save(changed, "Both")).hasStatusOk();
		assertThat(desk().get("article").get("title").asString()).isEqualTo("Both");
	}

	@Test
	void aTakeOverOnPurposeEndsOnlyTheHoldThatWasShown() {
		JsonNode anna = read(edit("Anna"));
		MvcTestResult ben = takeOver("Ben", anna);
		assertThat(ben).hasStatusOk();
		assertThat(takeOver("Cleo", anna)).hasStatus(423);
		assertThat(desk().get("holder").get("name").asString()).isEqualTo("Ben");
		assertThat(save(anna, "By Anna")).hasStatus(423);
		assertThat(save(read(ben), "By Ben")).hasStatusOk();
	}

	@Test
	void aSecondClickIsShownWhatItHasSaved() {
		JsonNode anna = read(edit("Anna"));
		assertThat(save(anna, "Once")).hasStatusOk();
		MvcTestResult again = save(anna, "Once");
		assertThat(again).hasStatus(423);
		assertThat(read(again).get("theirs").get("title").asString()).isEqualTo("Once");
	}

	@Test
	void aDraftKeepsTheLockAndMayBeSentAgain() {
		JsonNode anna = read(edit("Anna"));
		assertThat(draft(anna, 17, "The answer is lost")).hasStatusOk();
		JsonNode drafted = read(draft(anna, 17, "Draft"));
		assertThat(desk().get("article").get("title").asString()).isEqualTo("Draft");
		MvcTestResult secondWindow = draft(anna, 18, "In another window");
		assertThat(secondWindow).hasStatus(409);
		assertThat(read(secondWindow).get("theirs").get("title").asString()).isEqualTo("Draft");
		assertThat(edit("Ben")).hasStatus(423);
		assertThat(save(drafted, "Done")).hasStatusOk();
	}

	@Test
	void anETagIsTheSameUntilSomethingIsSaved() {
		String tag = this.mvc.get().uri("/article").exchange().getResponse().getHeader("ETag");
		assertThat(send("/article/cancel", ticket(read(edit("Anna"))))).hasStatusOk();
		assertThat(this.mvc.get().uri("/article").header("If-None-Match", tag)).hasStatus(304);
		assertThat(save(read(edit("Anna")), "Another")).hasStatusOk();
		assertThat(this.mvc.get().uri("/article").header("If-None-Match", tag)).hasStatusOk();
	}

	private MvcTestResult draft(JsonNode editing, long number, String title) {
		return send("/article/draft", "{\"ticket\": \"" + editing.get("ticket").asString() + "\", \"number\": " + number
				+ ", \"title\": \"" + title + "\", \"text\": \"$not a field\"}");
	}

	private MvcTestResult takeOver(String name, JsonNode editing) {
		return send("/article/take-over",
				"{\"name\": \"" + name + "\", \"fence\": " + editing.get("fence").asLong() + "}");
	}

	@Test
	void anOperatorSeesTheHealthAndTheLocks() {
		// Degraded while it remembers a step of the clock
		assertThat(this.mvc.get().uri("/actuator/health/mongoLock")).hasStatusOk()
			.bodyText()
			.containsAnyOf("\"UP\"", "\"DEGRADED\"");
		assertThat(this.mvc.get().uri("/actuator/mongolocks")).hasStatusOk().bodyText().contains("locks");
	}

	@Test
	void aHeartbeatKeepsTheArticle() {
		JsonNode anna = read(edit("Anna"));
		for (int i = 0; i < 3; i++) {
			this.clock.step(EDITING_TIME.dividedBy(2));
			assertThat(send("/article/heartbeat", ticket(anna))).hasStatusOk();
		}
		assertThat(edit("Ben")).hasStatus(423);
	}

	@Test
	void whoseTimeIsOverMaySaveAsLongAsNobodyTookOver() {
		JsonNode anna = read(edit("Anna"));
		this.clock.step(EDITING_TIME);
		assertThat(save(anna, "Late, but alone")).hasStatusOk();
	}

	@Test
	void aCancelReleasesAndChangesNothing() {
		String before = desk().get("article").get("title").asString();
		JsonNode anna = read(edit("Anna"));
		assertThat(send("/article/cancel", ticket(anna))).hasStatusOk();
		assertThat(desk().get("holder").isNull()).isTrue();
		assertThat(desk().get("article").get("title").asString()).isEqualTo(before);
	}

	@Test
	void aTextThatIsNoTicketIsABadRequest() {
		assertThat(send("/article/heartbeat", "{\"ticket\": \"nonsense\"}")).hasStatus(400);
	}

	@Test
	void ordersAreNumberedOneAfterTheOther() {
		long first = read(send("/orders", "{\"item\": \"Pencils\"}")).get("number").asLong();
		long second = read(send("/orders", "{\"item\": \"Paper\"}")).get("number").asLong();
		assertThat(second).isEqualTo(first + 1);
		assertThat(desk().get("orders").get(0).get("item").asString()).isEqualTo("Paper");
	}

	@Test
	void clicksAtOnceAreAllCounted() {
		long before = desk().get("clicks").asLong();
		List<CompletableFuture<MvcTestResult>> clicks = IntStream.range(0, 20)
			.mapToObj((i) -> CompletableFuture.supplyAsync(() -> send("/clicks", "")))
			.toList();
		assertThat(clicks).allSatisfy((click) -> assertThat(click.join()).hasStatusOk());
		assertThat(desk().get("clicks").asLong()).isEqualTo(before + 20);
	}

	@Test
	void writesAreConfirmedByTheMajority() {
		assertThat(this.mongo.getDb().getWriteConcern()).isEqualTo(WriteConcern.MAJORITY);
	}

	private JsonNode desk() {
		return read(this.mvc.get().uri("/desk").exchange());
	}

	private MvcTestResult edit(String name) {
		return send("/article/edit", "{\"name\": \"" + name + "\"}");
	}

	private MvcTestResult save(JsonNode editing, String title) {
		return send("/article/save", "{\"ticket\": \"" + editing.get("ticket").asString()
				+ "\", \"number\": 1, \"title\": \"" + title + "\", \"text\": \"$not a field\"}");
	}

	private static String ticket(JsonNode editing) {
		return "{\"ticket\": \"" + editing.get("ticket").asString() + "\"}";
	}

	private MvcTestResult send(String path, String body) {
		return this.mvc.post().uri(path).contentType(MediaType.APPLICATION_JSON).content(body).exchange();
	}

	private static JsonNode read(MvcTestResult result) {
		return JSON.readTree(result.getResponse().getContentAsByteArray());
	}

	@TestConfiguration(proxyBeanMethods = false)
	static class Server {

		@Bean
		SteppingClock clock() {
			return new SteppingClock();
		}

	}

}
