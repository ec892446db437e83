package io.mongolock.sample.orders;

import org.springframework.data.annotation.Id;
import org.springframework.data.mongodb.core.mapping.Document;

/**
 * An order. Money is in cents.
 *
 * @param id its number
 * @param customer who ordered
 * @param city where it goes
 * @param item what was ordered
 * @param amount what it costs
 * @param balance what is still to be paid, negative if too much was
 * @param settled whether it is paid and closed
 */
@Document("orders")
public record Order(@Id String id, String customer, String city, String item, long amount, long balance,
		boolean settled) {

	/**
	 * Read an order that nothing was paid for yet.
	 * @param line id, customer, city, item and amount, separated by commas
	 * @return the order
	 */
	static Order parse(String line) {
		String[] fields = line.split(",");
		long amount = Long.parseLong(fields[4]);
		return new Order(fields[0], fields[1], fields[2], fields[3], amount, amount, false);
	}

}
