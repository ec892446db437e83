package io.mongolock.sample.orders;

import java.util.List;

import org.springframework.data.domain.Page;
import org.springframework.data.domain.PageRequest;
import org.springframework.data.domain.Sort;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

/**
 * Orders and payments over HTTP.
 */
@RestController
@RequestMapping("/orders")
class OrderController {

	private static final int PAGE_SIZE = 10;

	private final OrderRepository orders;

	private final PaymentService payments;

	private final Comparison comparison;

	OrderController(OrderRepository orders, PaymentService payments, Comparison comparison) {
		this.orders = orders;
		this.payments = payments;
		this.comparison = comparison;
	}

	@GetMapping
	OrderPage find(@RequestParam(defaultValue = "") String search, @RequestParam(defaultValue = "0") int page) {
		PageRequest request = PageRequest.of(Math.max(page, 0), PAGE_SIZE, Sort.by("id"));
		return OrderPage.of(this.orders.findByIdStartingWithOrCustomerContainingIgnoreCase(search, search, request));
	}

	@GetMapping("/{id}")
	Order get(@PathVariable String id) {
		return this.orders.findById(id).orElseThrow(() -> new NoSuchOrderException(id));
	}

	@PostMapping("/{id}/payments")
	Receipt pay(@PathVariable String id, @RequestBody Payment payment) {
		check(id, payment);
		return this.payments.pay(id, payment);
	}

	@PostMapping("/{id}/unguarded-payments")
	Receipt payUnguarded(@PathVariable String id, @RequestBody Payment payment) {
		check(id, payment);
		return this.payments.payUnguarded(id, payment);
	}

	@PostMapping("/{id}/comparison")
	List<Comparison.Run> compare(@PathVariable String id, @RequestParam(defaultValue = "50") int payments) {
		if (payments < 1 || payments > Comparison.MOST) {
			throw new ResponseStatusException(HttpStatus.BAD_REQUEST,
					"The number of payments must be from 1 to " + Comparison.MOST);
		}
		return this.comparison.run(id, payments);
	}

	// Before the lock: no wait, and no lock document, for what does not exist
	private void check(String id, Payment payment) {
		if (!payment.isValid()) {
			throw new ResponseStatusException(HttpStatus.BAD_REQUEST, Payment.RULE);
		}
		if (!this.orders.existsById(id)) {
			throw new NoSuchOrderException(id);
		}
	}

	/**
	 * A page of orders.
	 *
	 * @param orders the orders
	 * @param page which page, from 0
	 * @param pages how many there are
	 * @param total how many orders there are on all of them
	 */
	record OrderPage(List<Order> orders, int page, int pages, long total) {

		static OrderPage of(Page<Order> page) {
			return new OrderPage(page.getContent(), page.getNumber(), page.getTotalPages(), page.getTotalElements());
		}

	}

}
