package io.mongolock.spi;

import java.util.List;

/**
 * Has clients for stores of a module's own, as a bean.
 */
public interface StoreClients {

	/**
	 * Those that were made until now.
	 */
	List<StoreClient> clients();

}
