package io.mongolock.docs;

import java.util.concurrent.locks.ReadWriteLock;

import io.mongolock.LockMode;
import io.mongolock.LockOperations;
import io.mongolock.LockRequest;
import io.mongolock.annotation.DistributedLock;

/**
 * The Java of semaphores and read/write locks, so that it is compiled.
 */
public class ManyHoldersSnippets {

	private final Partner partner;

	private final Catalogs catalogs;

	public ManyHoldersSnippets(Partner partner, Catalogs catalogs) {
		this.partner = partner;
		this.catalogs = catalogs;
	}

	@DistributedLock(name = "partner-api", limit = "10")
	public Quote quote(String product) {
		return this.partner.quote(product);
	}

	@DistributedLock(name = "catalog", key = "#shop", mode = LockMode.SHARED)
	public Catalog read(String shop) {
		return this.catalogs.load(shop);
	}

	@DistributedLock(name = "catalog", key = "#shop")
	public void replace(String shop, Catalog catalog) {
		this.catalogs.store(shop, catalog);
	}

	public record Quote(long cents) {

	}

	public record Catalog(String name) {

	}

	public interface Partner {

		Quote quote(String product);

	}

	public interface Catalogs {

		Catalog load(String shop);

		void store(String shop, Catalog catalog);

	}

	public interface Pages {

		void writeAll();

	}

	/**
	 * Uses the interface of the JDK.
	 */
	static class SearchIndex {

		private final Pages pages = () -> {
		};

		private final ReadWriteLock index;

		SearchIndex(LockOperations locks) {
			this.index = locks.asReadWriteLock(LockRequest.of("search-index"));
		}

		void rebuild() {
			this.index.writeLock().lock();
			try {
				this.pages.writeAll();
			}
			finally {
				this.index.writeLock().unlock();
			}
		}

	}

}
