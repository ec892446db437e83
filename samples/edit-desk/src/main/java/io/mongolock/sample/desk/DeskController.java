package io.mongolock.sample.desk;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

import org.jspecify.annotations.Nullable;
import org.springframework.data.domain.Sort;
import org.springframework.data.mongodb.core.MongoTemplate;
import org.springframework.data.mongodb.core.query.Query;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

import io.mongolock.documents.LockTicket;
import io.mongolock.documents.OptimisticUpdater;

/**
 * What the page asks for.
 */
@RestController
class DeskController {

	private static final String COUNTER = "clicks";

	private static final int SHOWN = 6;

	private final ArticleDesk desk;

	private final MongoTemplate mongo;

	private final OptimisticUpdater updater;

	DeskController(ArticleDesk desk, MongoTemplate mongo, OptimisticUpdater updater) {
		this.desk = desk;
		this.mongo = mongo;
		this.updater = updater;
	}

	@GetMapping("/desk")
	Desk desk() {
		Query last = new Query().with(Sort.by("number").descending()).limit(SHOWN);
		long clicks = Optional.ofNullable(this.mongo.findById(COUNTER, Counter.class)).map(Counter::clicks).orElse(0L);
		return new Desk(this.desk.article(), this.desk.holder(), this.mongo.find(last, Order.class), clicks);
	}

	// Opening and cancelling raise the version, and change nothing that is read
	@GetMapping("/article")
	ResponseEntity<Article> article() {
		Article article = this.desk.article();
		byte[] read = (article.title() + "\n" + article.text()).getBytes(StandardCharsets.UTF_8);
		return ResponseEntity.ok().eTag("W/\"" + UUID.nameUUIDFromBytes(read) + "\"").body(article);
	}

	@PostMapping("/article/edit")
	ArticleDesk.Editing edit(@RequestBody Name name) {
		return this.desk.edit(name.name());
	}

	@PostMapping("/article/take-over")
	ArticleDesk.Editing takeOver(@RequestBody TakeOver from) {
		return this.desk.takeOver(from.name(), from.fence());
	}

	@PostMapping("/article/heartbeat")
	void heartbeat(@RequestBody Ticket ticket) {
		this.desk.renew(ticket.ticket());
	}

	@PostMapping("/article/draft")
	ArticleDesk.Editing draft(@RequestBody Draft draft) {
		return this.desk.draft(draft.ticket().draft(draft.number()), draft.title(), draft.text());
	}

	@PostMapping("/article/save")
	Article save(@RequestBody Draft draft) {
		return this.desk.save(draft.ticket().draft(draft.number()), draft.title(), draft.text());
	}

	@PostMapping("/article/cancel")
	void cancel(@RequestBody Ticket ticket) {
		this.desk.cancel(ticket.ticket());
	}

	@PostMapping("/article/review")
	void review() {
		this.desk.review();
	}

	@PostMapping("/orders")
	Order order(@RequestBody Item item) {
		return this.mongo.insert(new Order(item.item()));
	}

	@PostMapping("/clicks")
	long click() {
		return this.updater.updateOrCreate(Counter.class, COUNTER, () -> new Counter(COUNTER, null, 0), Counter::click)
			.clicks();
	}

	record Desk(Article article, ArticleDesk.@Nullable Holder holder, List<Order> orders, long clicks) {
	}

	record Name(String name) {
	}

	record TakeOver(String name, long fence) {
	}

	record Ticket(LockTicket ticket) {
	}

	record Draft(LockTicket ticket, long number, String title, String text) {
	}

	record Item(String item) {
	}

}
