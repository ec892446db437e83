package io.mongolock.docs;

import java.util.Objects;

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
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;

import io.mongolock.LockLostException;
import io.mongolock.docs.ArticlePage.Article;
import io.mongolock.docs.ArticlePage.Page;
import io.mongolock.mongodb.LockTicket;
import io.mongolock.test.embedded.EmbeddedMongo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

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
	}

	@BeforeEach
	void insert() {
		this.mongo.dropCollection(Article.class);
		this.mongo.insert(new Article("a", "old", null));
	}

	@Test
	void whoComesSecondSeesWhoEditsWithoutAWait() {
		LockTicket anna = ticket(this.articles.open("a", "Anna"));
		Page ben = this.articles.open("a", "Ben");
		assertThat(ben.ticket()).isNull();
		assertThat(Objects.requireNonNull(ben.editor()).owner().as()).isEqualTo("Anna");
		this.articles.cancel(anna);
		ticket(this.articles.open("a", "Ben"));
	}

	@Test
	void aDraftIsSavedAndItsLockKept() {
		LockTicket opened = ticket(this.articles.open("a", "Anna"));
		LockTicket drafted = ticket(this.articles.draft("a", opened, "draft"));
		assertThat(text()).isEqualTo("draft");
		this.articles.heartbeat(drafted);
		LockTicket again = ticket(this.articles.draft("a", opened, "draft"));
		assertThat(this.articles.save("a", again, "new")).satisfies((page) -> assertSaved(page, "new"));
	}

	@Test
	void aSecondClickHasSavedAlready() {
		LockTicket ticket = ticket(this.articles.open("a", "Anna"));
		assertSaved(this.articles.save("a", ticket, "new"), "new");
		assertSaved(this.articles.save("a", ticket, "new"), "new");
		ticket(this.articles.open("a", "Ben"));
		Page again = this.articles.save("a", ticket, "new");
		assertThat(again.unsaved()).isNull();
		Page other = this.articles.save("a", ticket, "newer");
		assertThat(other.unsaved()).isEqualTo("newer");
		assertThat(Objects.requireNonNull(other.editor()).owner().as()).isEqualTo("Ben");
	}

	@Test
	void whoIsTakenOverSeesBothAndByWhom() {
		LockTicket anna = ticket(this.articles.open("a", "Anna"));
		long fence = Objects.requireNonNull(this.articles.open("a", "Ben").editor()).fence();
		LockTicket ben = ticket(this.articles.takeOver("a", "Ben", fence));
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> this.articles.heartbeat(anna));
		Page cleo = this.articles.takeOver("a", "Cleo", fence);
		assertThat(cleo.ticket()).isNull();
		assertThat(Objects.requireNonNull(cleo.editor()).owner().as()).isEqualTo("Ben");
		Page late = this.articles.save("a", anna, "Anna's");
		assertThat(late.unsaved()).isEqualTo("Anna's");
		assertThat(Objects.requireNonNull(late.editor()).owner().as()).isEqualTo("Ben");
		assertSaved(this.articles.save("a", ben, "Ben's"), "Ben's");
	}

	@Test
	void whatWasChangedMeanwhileIsShownAndGoneOnFrom() {
		LockTicket opened = ticket(this.articles.open("a", "Anna"));
		this.mongo.updateFirst(Query.query(Criteria.where("id").is("a")), Update.update("text", "theirs"),
				Article.class);
		Page both = this.articles.save("a", opened, "mine");
		assertThat(Objects.requireNonNull(both.article()).text()).isEqualTo("theirs");
		assertThat(both.unsaved()).isEqualTo("mine");
		assertSaved(this.articles.save("a", ticket(both), "theirs and mine"), "theirs and mine");
	}

	@Test
	void whoSavesWhatWasDeletedKeepsTheText() {
		LockTicket opened = ticket(this.articles.open("a", "Anna"));
		this.mongo.remove(Query.query(Criteria.where("id").is("a")), Article.class);
		Page deleted = this.articles.save("a", opened, "mine");
		assertThat(deleted.article()).isNull();
		assertThat(deleted.unsaved()).isEqualTo("mine");
	}

	private void assertSaved(Page page, String text) {
		assertThat(Objects.requireNonNull(page.article()).text()).isEqualTo(text).isEqualTo(text());
		assertThat(page.unsaved()).isNull();
		assertThat(page.ticket()).isNull();
		assertThat(page.editor()).isNull();
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
