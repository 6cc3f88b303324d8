// What can be put where the caret is. The focus stays in the text: the list says by its ids which one is meant.

import { useEffect, useRef } from "preact/hooks";
import type { Offer } from "../suggest";

interface OffersProps {
  readonly label: string;
  readonly offers: readonly Offer[];
  readonly at: number;
  readonly take: (offer: Offer) => void;
}

export const OFFERS = "bs-offers";
export const offerId = (at: number): string => `${OFFERS}-${at}`;

export function Offers({ label, offers, at, take }: OffersProps) {
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => list.current?.children[at]?.scrollIntoView({ block: "nearest" }), [at]);
  return (
    <div ref={list} id={OFFERS} class="bs-offers" role="listbox" aria-label={label}>
      {offers.map((offer, place) => (
        // The pointer takes no focus from the text; by keyboard the text's own keys choose.
        <div key={offer.name} id={offerId(place)} role="option" tabIndex={-1} aria-selected={place === at} onMouseDown={(event) => (event.preventDefault(), take(offer))}>
          <span>{offer.name}</span>
          {offer.about !== "" && <small>{offer.about}</small>}
        </div>
      ))}
    </div>
  );
}
