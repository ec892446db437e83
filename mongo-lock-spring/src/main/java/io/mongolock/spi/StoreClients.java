package io.mongolock.spi;

import java.util.List;

/**
 * A bean that has clients for a module's own stores.
 */
public interface StoreClients {

	/**
	 * The clients that have been made so far.
	 */
	List<StoreClient> clients();

}
