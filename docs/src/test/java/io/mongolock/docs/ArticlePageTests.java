package io.mongolock.docs;

import java.lang.reflect.Method;
import java.util.Objects;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.data.mongodb.core.MongoTemplate;
import org.springframework.data.mongodb.core.query.Criteria;
import org.springframework.data.mongodb.core.query.Query;
import org.springframework.data.mongodb.core.query.Update;
import org.springframework.http.ResponseEntity;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;
import org.springframework.util.ReflectionUtils;
import org.springframework.web.method.annotation.ExceptionHandlerMethodResolver;
import tools.jackson.databind.json.JsonMapper;

import io.mongolock.docs.ArticlePage.Article;
import io.mongolock.docs.ArticlePage.EditErrors;
import io.mongolock.docs.ArticlePage.Page;
import io.mongolock.documents.LockTicket;
import io.mongolock.test.embedded.EmbeddedMongo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * The listing of docs/document-locks.md for the page of an editor does what is said of
 * it.
 */
@SpringBootTest
class ArticlePageTests {

	static final EmbeddedMongo SERVER = EmbeddedMongo.start();

	@Autowired
	private ArticlePage articles;

	@Autowired
	private MongoTemplate mongo;

	@DynamicPropertySource
	static void mongo(DynamicPropertyRegistry registry) {
		registry.add("spring.mongodb.uri", SERVER::connectionString);
		registry.add("spring.mongodb.database", () -> "articles");
		registry.add("mongo-lock.locks.article.ttl", () -> "30m");
		registry.add("mongo-lock.locks.article.wait-timeout", () -> "0s");
	}

	@BeforeEach
	void insert() {
		this.mongo.dropCollection(Article.class);
		this.mongo.insert(new Article("a", "old", null));
	}

	@Test
	void aSecondEditorSeesTheFirstWithoutAWait() {
		LockTicket anna = ticket(this.articles.open("a", "Anna", null));
		assertNotYours(() -> this.articles.open("a", "Ben", null));
		Page ben = this.articles.read("a");
		assertThat(ben.ticket()).isNull();
		assertThat(Objects.requireNonNull(ben.editor()).name()).isEqualTo("Anna");
		assertThat(new JsonMapper().writeValueAsString(ben)).doesNotContain("thread", "pid", "host", "instance");
		this.articles.cancel("a", anna);
		ticket(this.articles.open("a", "Ben", null));
	}

	@Test
	void aDraftIsSavedAndItsLockKeptAlsoIfItIsSentAgain() {
		LockTicket opened = ticket(this.articles.open("a", "Anna", null));
		this.articles.draft("a", opened, 1, "the answer is lost");
		LockTicket drafted = ticket(this.articles.draft("a", opened, 1, "draft"));
		assertThat(text()).isEqualTo("draft");
		this.articles.heartbeat("a", opened);
		assertSaved(this.articles.save("a", drafted, 2, "new"), "new");
	}

	@Test
	void aSaveGoesOnFromADraftWithoutAnAnswer() {
		LockTicket opened = ticket(this.articles.open("a", "Anna", null));
		this.articles.draft("a", opened, 1, "the answer is lost");
		assertSaved(this.articles.save("a", opened, 1, "new"), "new");
	}

	@Test
	void aSecondWindowConflictsWithTheFirst() {
		LockTicket opened = ticket(this.articles.open("a", "Anna", null));
		this.articles.draft("a", opened, 1, "in the first");
		Page both = changed(() -> this.articles.draft("a", opened, 2, "in the second"));
		assertThat(Objects.requireNonNull(both.article()).text()).isEqualTo("in the first");
		assertSaved(this.articles.save("a", ticket(both), 2, "in both"), "in both");
	}

	@Test
	void aSecondClickFindsItsText() {
		LockTicket ticket = ticket(this.articles.open("a", "Anna", null));
		assertSaved(this.articles.save("a", ticket, 1, "new"), "new");
		assertNotYours(() -> this.articles.save("a", ticket, 1, "new"));
		assertThat(Objects.requireNonNull(this.articles.read("a").article()).text()).isEqualTo("new");
	}

	@Test
	void anEditorThatIsTakenOverSeesTheNextEditor() {
		LockTicket anna = ticket(this.articles.open("a", "Anna", null));
		long fence = Objects.requireNonNull(this.articles.read("a").editor()).fence();
		LockTicket ben = ticket(this.articles.open("a", "Ben", fence));
		assertNotYours(() -> this.articles.heartbeat("a", anna));
		assertNotYours(() -> this.articles.open("a", "Cleo", fence));
		assertNotYours(() -> this.articles.save("a", anna, 1, "Anna's"));
		assertThat(Objects.requireNonNull(this.articles.read("a").editor()).name()).isEqualTo("Ben");
		assertSaved(this.articles.save("a", ben, 1, "Ben's"), "Ben's");
	}

	@Test
	void anArticleChangedMeanwhileIsShownAndEditingGoesOnFromIt() {
		LockTicket opened = ticket(this.articles.open("a", "Anna", null));
		this.mongo.updateFirst(Query.query(Criteria.where("id").is("a")), Update.update("text", "theirs"),
				Article.class);
		Page both = changed(() -> this.articles.save("a", opened, 1, "mine"));
		assertThat(Objects.requireNonNull(both.article()).text()).isEqualTo("theirs");
		assertSaved(this.articles.save("a", ticket(both), 1, "theirs and mine"), "theirs and mine");
	}

	@Test
	void aDeletedArticleIsNeitherSavedNorOpened() {
		LockTicket opened = ticket(this.articles.open("a", "Anna", null));
		this.mongo.remove(Query.query(Criteria.where("id").is("a")), Article.class);
		assertNotYours(() -> this.articles.save("a", opened, 1, "mine"));
		assertNotYours(() -> this.articles.open("a", "Ben", null));
		assertThat(this.articles.read("a").article()).isNull();
	}

	private Page changed(ThrowingCallable call) {
		ResponseEntity<?> answer = answer(call);
		assertThat(answer.getStatusCode().value()).isEqualTo(409);
		return (Page) Objects.requireNonNull(answer.getBody());
	}

	private void assertNotYours(ThrowingCallable call) {
		assertThat(answer(call).getStatusCode().value()).isEqualTo(423);
	}

	// As Spring finds the method of the advice
	private ResponseEntity<?> answer(ThrowingCallable call) {
		Throwable failure = catchThrowable(call);
		Method handler = Objects.requireNonNull(
				new ExceptionHandlerMethodResolver(EditErrors.class).resolveMethodByThrowable(failure),
				() -> "unexpected: " + failure);
		handler.setAccessible(true);
		return Objects.requireNonNull((ResponseEntity<?>) ReflectionUtils.invokeMethod(handler, new EditErrors(),
				(handler.getParameterCount() == 0) ? new Object[0] : new Object[] { failure }));
	}

	private void assertSaved(Article article, String text) {
		assertThat(article.text()).isEqualTo(text).isEqualTo(text());
		assertThat(this.articles.read("a").editor()).isNull();
	}

	private @Nullable String text() {
		Article stored = this.mongo.findById("a", Article.class);
		return (stored != null) ? stored.text() : null;
	}

	// As the page sends it back
	private static LockTicket ticket(Page page) {
		return LockTicket.of(Objects.requireNonNull(page.ticket()).text());
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import(ArticlePage.class)
	static class App {

	}

}
