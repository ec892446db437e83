package io.mongolock.docs;

import org.springframework.context.annotation.Bean;

import io.mongolock.LockUnavailableException;
import io.mongolock.LockUnavailableHandler;
import io.mongolock.annotation.DistributedLock;
import io.mongolock.docs.ReadmeSnippets.Receipt;

/**
 * The Java of the documents about locks that are not free, so that it is compiled.
 */
public class FallbackSnippets {

	private final Stock stock;

	public FallbackSnippets(Stock stock) {
		this.stock = stock;
	}

	@DistributedLock(name = "stock", key = "#article.id", condition = "#article.scarce", fallback = "lastCount")
	public int count(Article article) {
		return this.stock.count(article);
	}

	private int lastCount(Article article, LockUnavailableException ex) {
		return this.stock.lastCount(article);
	}

	@Bean
	LockUnavailableHandler tryLater() {
		return (call, ex) -> {
			if (call.resultType() == Receipt.class) {
				return new Receipt("pending");
			}
			throw ex;
		};
	}

	public record Article(String id, boolean scarce) {

	}

	public interface Stock {

		int count(Article article);

		int lastCount(Article article);

	}

}
