import { PetStatus } from '../../src/contract/index.js';

const names =
  'Bella Luna Charlie Milo Daisy Max Lucy Cooper Rosie Oscar Molly Leo Nala Rocky Willow Simba Poppy Teddy Hazel Archie Coco Finn Ruby Otis Pepper Felix Olive Jasper Ginger Rufus Maple Biscuit Clover Smokey Juniper Ziggy Marble Pickles Waffles Sparrow Bramble Moss Sunny Ash Misty Tiger Shadow Honey'.split(
    ' ',
  );

/** Of ten pets six are available, two pending and two sold. */
const { available, pending, sold } = PetStatus;
const statuses = [available, available, pending, available, sold, available, available, pending, available, sold] as const;

/** The `index`-th made-up pet, counted from 0: always the same one. */
export function madeUpPet(index: number): { name: string; categoryId: number; status: PetStatus } {
  return { name: names[(index * 7) % names.length]!, categoryId: 1 + ((index * 3) % 5), status: statuses[index % 10]! };
}
